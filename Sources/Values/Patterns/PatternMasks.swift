/// Which of the steps that wait take a scalar, for each class of scalars that was met.
struct PatternMasks {
    private let program: PatternProgram
    private let waiting: [Int]
    private let classes: ScalarClasses
    private var offsets: [Int]
    private(set) var bits: [UInt64] = []

    init(_ program: PatternProgram, _ waiting: [Int]) {
        self.program = program
        self.waiting = waiting
        classes = ScalarClasses(program)
        offsets = Array(repeating: -1, count: classes.count)
    }

    /// Where the bits of the steps begin.
    mutating func offset(of scalar: UInt32) -> Int {
        let number = classes.number(of: scalar)
        if offsets[number] >= 0 { return offsets[number] }
        let offset = bits.count
        offsets[number] = offset
        bits += repeatElement(0, count: (waiting.count + 63) / 64)
        for (place, step) in waiting.enumerated() {
            let takes =
                switch program.steps[step] {
                case .scalar(let wanted): wanted == scalar
                case .set(let set): program.contains(scalar, inSet: Int(set))
                default: false
                }
            if takes { bits[offset + place / 64] |= 1 << UInt64(place % 64) }
        }
        return offset
    }
}

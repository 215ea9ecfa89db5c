/// The places in one text, each by what was reached there, and which of them follows which: where a
/// place is like one before, it takes a look instead of a walk through the program.
///
/// So a deterministic automaton comes about of which only those states are made that the text needs.
struct PatternAutomaton {
    private let program: PatternProgram
    private let classes: ScalarClasses
    /// What was reached at the states, a bit for each step.
    private var states: [[UInt64]] = []
    private var numbers: [[UInt64]: Int32] = [:]
    /// For each state and class the state that follows, or -1 where that is not known yet.
    private var next: [Int32] = []
    /// The state that was reached last, and how many have taken a walk.
    private var state: Int32 = 0
    private var walks = 0

    init(_ program: PatternProgram) {
        self.program = program
        classes = ScalarClasses(program)
    }

    /// Looks for the program, or goes on with it.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - position: Where it ends.
    ///   - reached: What is reached there.
    ///   - following: Room for what follows.
    ///   - patience: How many places may be like none before, and one more for each so many bytes.
    /// - Returns: Whether it is found; nil if too few places are alike, with which it stops.
    mutating func isFound(
        in text: UnsafeBufferPointer<UInt8>,
        _ position: inout Int,
        _ reached: inout StepSet,
        _ following: inout StepSet,
        within patience: (places: Int, bytes: Int)
    ) -> Bool? {
        if states.isEmpty {
            // The start alone is a place like no other.
            if program.advance(in: text, 0, &reached, &following) { return true }
            position = text.scalar(at: 0).length
            state = number(of: following)
        }
        while true {
            let (scalar, length) = text.scalar(at: position)
            let way = Int(state) * classes.count + classes.number(of: scalar)
            if length > 0, next[way] >= 0 {
                state = next[way]
                position += length
                continue
            }
            reached.removeAll()
            reached.insert(states[Int(state)])
            if reached.count == 0 && program.isAnchored { return false }
            if isFull || walks > patience.places + position / patience.bytes { return nil }
            walks += 1
            if program.advance(in: text, position, &reached, &following) { return true }
            if length == 0 { return false }
            state = number(of: following)
            next[way] = state
            position += length
        }
    }

    /// Whether there is no room for another state, in about ten megabytes.
    private var isFull: Bool {
        states.count * program.steps.count > 1 << 26 || next.count > 1 << 18
    }

    private mutating func number(of steps: StepSet) -> Int32 {
        var bits = [UInt64](repeating: 0, count: (program.steps.count + 63) / 64)
        for index in 0..<steps.count { bits[steps[index] / 64] |= 1 << UInt64(steps[index] % 64) }
        if let number = numbers[bits] { return number }
        let number = Int32(states.count)
        states.append(bits)
        numbers[bits] = number
        next += repeatElement(-1, count: classes.count)
        return number
    }
}

/// Classes of scalars that no step of a program distinguishes.
struct ScalarClasses {
    /// The first scalar of each class but the lowest, in ascending order.
    private let starts: [UInt32]
    /// The classes of ASCII.
    private let ascii: [Int]

    init(_ program: PatternProgram) {
        var starts = Set(program.sets.flatMap(\.edges))
        for case .scalar(let scalar) in program.steps { starts.formUnion([scalar, scalar + 1]) }
        starts.remove(0)
        let ordered = starts.sorted()
        self.starts = ordered
        var number = 0
        ascii = (0..<0x80).map { scalar in
            while number < ordered.count, ordered[number] <= scalar { number += 1 }
            return number
        }
    }

    var count: Int { starts.count + 1 }

    func number(of scalar: UInt32) -> Int {
        if scalar < 0x80 { return ascii[Int(scalar)] }
        var low = 0
        var high = starts.count
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= scalar { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

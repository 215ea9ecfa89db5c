/// A pattern as the steps of a nondeterministic automaton.
///
/// Targets are relative, so that a stretch of steps can be moved and copied.
struct PatternProgram: Sendable {
    enum Step: Sendable {
        /// Takes this scalar.
        case scalar(UInt32)

        /// Takes a scalar of the set at this index.
        case set(Int32)

        /// Goes on at the next step and at the one this far away.
        case split(Int32)

        /// Goes on at the step this far away.
        case jump(Int32)

        /// Goes on at the start of the text.
        case start

        /// Goes on at the end of the text.
        case end

        /// Goes on where a word starts or ends, or where none does.
        case wordEdge(Bool)

        /// The pattern is found.
        case found
    }

    /// The most steps, found included: a step's index has 16 bits while it is matched.
    static let limit = 10_000

    var steps: [Step] = []
    private(set) var sets: [ScalarSet] = []
    /// The sets of ASCII among them, apart, as they can be asked without being retained.
    private var ascii: [ByteSet] = []

    /// Adds a set, and gives its index; one of the first that is the same stands for both.
    mutating func add(_ set: ScalarSet) -> Int {
        if let index = sets.prefix(64).firstIndex(of: set) { return index }
        sets.append(set)
        ascii.append(set.ascii)
        return sets.count - 1
    }

    /// Whether a scalar is in the set at an index.
    func contains(_ scalar: UInt32, inSet index: Int) -> Bool {
        scalar < 0x80
            ? ascii[index].contains(UInt8(truncatingIfNeeded: scalar))
            : sets[index].contains(scalar)
    }
}

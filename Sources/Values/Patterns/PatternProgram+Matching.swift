extension PatternProgram {
    /// Whether the program finds its end from somewhere in the text.
    ///
    /// All ways through the program go ahead together, one scalar at a time, and those that meet
    /// at a step become one: no scalar is looked at more than once for a step.
    func isFound(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        // Up to 128 steps need no memory but the stack's.
        let count = steps.count
        return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 4 * count) { memory in
            memory.initialize(repeating: 0)
            var reached = StepSet(memory, at: 0, count: count)
            var following = StepSet(memory, at: 2 * count, count: count)
            var position = 0
            // In a short text no place is likely to be like another.
            if text.count >= 512, !looksBack {
                var automaton = PatternAutomaton(self)
                func isFound(within patience: (places: Int, bytes: Int)) -> Bool? {
                    automaton.isFound(in: text, &position, &reached, &following, within: patience)
                }
                if let verdict = isFound(within: (1 << 21 / count, 64)) { return verdict }
                if let bits = PatternBits(self) {
                    return bits.isFound(in: text, from: position, &reached, &following)
                }
                if let verdict = isFound(within: (4_096, 4)) { return verdict }
            }
            while true {
                let length = text.scalar(at: position).length
                if advance(in: text, position, &reached, &following) { return true }
                if length == 0 || following.count == 0 && isAnchored { return false }
                position += length
                swap(&reached, &following)
            }
        }
    }

    /// Whether it can only begin where the text does.
    var isAnchored: Bool { if case .start = steps[0] { true } else { false } }

    /// Whether a place in a text depends on more than what was reached there.
    private var looksBack: Bool {
        steps.contains { if case .wordEdge = $0 { true } else { false } }
    }

    /// Goes from what is reached at a position to what follows the scalar there.
    ///
    /// - Returns: Whether the program is found, with which it stops.
    func advance(
        in text: UnsafeBufferPointer<UInt8>,
        _ position: Int,
        _ reached: inout StepSet,
        _ following: inout StepSet
    ) -> Bool {
        following.removeAll()
        if position == 0 || !isAnchored { reached.insert(0) }
        let (scalar, length) = text.scalar(at: position)
        var index = 0
        // Steps that take nothing reach further ones meanwhile.
        while index < reached.count {
            let step = reached[index]
            index += 1
            switch steps[step] {
            case .scalar(let wanted):
                if wanted == scalar { following.insert(step + 1) }
            case .set(let set):
                if contains(scalar, inSet: Int(set)) { following.insert(step + 1) }
            case .split(let distance):
                reached.insert(step + 1)
                reached.insert(step + Int(distance))
            case .jump(let distance): reached.insert(step + Int(distance))
            case .start: if position == 0 { reached.insert(step + 1) }
            case .end: if length == 0 { reached.insert(step + 1) }
            case .wordEdge(let wanted):
                if text.isWordEdge(position) == wanted { reached.insert(step + 1) }
            case .found: return true
            }
        }
        return false
    }
}

/// The steps reached at one place, in the order in which they were: a sparse set, which is emptied
/// at once.
struct StepSet {
    private let members: UnsafeMutablePointer<UInt16>
    private let places: UnsafeMutablePointer<UInt16>
    private(set) var count = 0

    /// Takes memory for twice as many numbers as there are steps, all of it initialized.
    init(_ memory: UnsafeMutableBufferPointer<UInt16>, at offset: Int, count: Int) {
        precondition(count > 0 && offset + 2 * count <= memory.count)
        // Memory for at least two numbers has a base address.
        members = memory.baseAddress.unsafelyUnwrapped + offset
        places = members + count
    }

    subscript(index: Int) -> Int { Int(members[index]) }

    mutating func insert(_ step: Int) {
        let place = Int(places[step])
        if place < count && Int(members[place]) == step { return }
        members[count] = UInt16(truncatingIfNeeded: step)
        places[step] = UInt16(truncatingIfNeeded: count)
        count += 1
    }

    /// Inserts the steps that bits stand for.
    mutating func insert(_ bits: some Sequence<UInt64>, _ step: (Int) -> Int = { $0 }) {
        for (index, word) in bits.enumerated() {
            var rest = word
            while rest != 0 {
                insert(step(64 * index + rest.trailingZeroBitCount))
                rest &= rest - 1
            }
        }
    }

    mutating func removeAll() { count = 0 }
}

extension UnsafeBufferPointer<UInt8> {
    /// The scalar that starts at a position and its length; at the end none, of length 0.
    ///
    /// The bytes are those of a string, so they are valid UTF-8.
    func scalar(at position: Int) -> (scalar: UInt32, length: Int) {
        guard position < count else { return (.max, 0) }
        let first = UInt32(self[position])
        if first < 0x80 { return (first, 1) }
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        var scalar = first & (0x7F >> UInt32(length))
        for offset in 1..<length {
            scalar = scalar << 6 | UInt32(self[position + offset] & 0x3F)
        }
        return (scalar, length)
    }

    /// Whether a word starts or ends at a position.
    fileprivate func isWordEdge(_ position: Int) -> Bool {
        let isAfterWord = position > 0 && ByteSet.wordBytes.contains(self[position - 1])
        let isBeforeWord = position < count && ByteSet.wordBytes.contains(self[position])
        return isAfterWord != isBeforeWord
    }
}

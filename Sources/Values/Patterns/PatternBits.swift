/// A matching for texts in which few places are alike: what is reached are bits, and all that go
/// equally far ahead go at once, by a shift.
///
/// So a scalar takes a look at each 64 steps for each of the distances, which are few where a group is
/// repeated often.
struct PatternBits {
    private let program: PatternProgram
    /// The steps that wait for a scalar or for the end, in their order; a bit stands for each.
    private let waiting: [Int]
    private let places: [Int: Int]
    private let words: Int
    /// How far those go ahead that do so together, and their bits, one after the other.
    private var distances: [Int] = []
    private var movers: [UInt64] = []
    /// The place to which others go, of which each has the bits of a word.
    private var gathers: [(word: Int, bits: UInt64, place: Int)] = []
    /// What is reached at every place, as the pattern may begin there.
    private var start: [UInt64] = []

    /// None, if it would take no less time than to go the ways themselves.
    init?(_ program: PatternProgram) {
        self.program = program
        waiting = program.steps.indices.filter { program.steps[$0].isWaiting }
        places = Dictionary(uniqueKeysWithValues: zip(waiting, waiting.indices))
        words = (waiting.count + 63) / 64
        var work = 0
        var shifts: [Int: [Int]] = [:]
        for (place, step) in waiting.enumerated() where program.steps[step].takesScalar {
            for target in ways(from: [step + 1], &work) {
                shifts[target - place, default: []].append(place)
            }
            if work > 1 << 18 { return nil }
        }
        var sources: [Int: [Int]] = [:]
        for (distance, places) in shifts {
            if places.count >= 8 {
                distances.append(distance)
                movers += bits(places)
            } else {
                for place in places { sources[place + distance, default: []].append(place) }
            }
        }
        for (target, places) in sources {
            for (word, bits) in bits(places).enumerated() where bits != 0 {
                gathers.append((word, bits, target))
            }
        }
        if movers.count + gathers.count > program.steps.count { return nil }
        start = bits(ways(from: [0], &work))
    }

    private func bits(_ places: some Sequence<Int>) -> [UInt64] {
        var bits = [UInt64](repeating: 0, count: words)
        for place in places { bits[place / 64] |= 1 << UInt64(place % 64) }
        return bits
    }

    /// The places of the steps that wait after steps, within the text.
    private func ways(from steps: [Int], _ work: inout Int) -> Set<Int> {
        var open = steps
        var seen = Set(steps)
        var found: Set<Int> = []
        while let step = open.popLast() {
            work += 1
            var next: [Int] = []
            switch program.steps[step] {
            case .split(let distance): next = [step + 1, step + Int(distance)]
            case .jump(let distance): next = [step + Int(distance)]
            case .start, .wordEdge: break
            case .scalar, .set, .end, .found: if let place = places[step] { found.insert(place) }
            }
            open += next.filter { seen.insert($0).inserted }
        }
        return found
    }
}

extension PatternBits {
    /// Whether the program is found from a position within the text on, with what is reached there.
    func isFound(
        in text: UnsafeBufferPointer<UInt8>,
        from start: Int,
        _ reached: inout StepSet,
        _ following: inout StepSet
    ) -> Bool {
        var work = 0
        let first = bits(ways(from: (0..<reached.count).map { reached[$0] }, &work))
        var masks = PatternMasks(program, waiting)
        // A word more on either side, where shifts may lead with bits that are none.
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * words + 4) { memory in
            memory.initialize(repeating: 0)
            for (word, bits) in first.enumerated() { memory[word + 1] = bits }
            var (now, next) = (1, words + 3)
            var position = start
            let found = waiting.count - 1
            while true {
                var isReached: UInt64 = 0
                for word in 0..<words {
                    memory[now + word] |= self.start[word]
                    isReached |= memory[now + word]
                }
                if isReached == 0 { return false }
                if memory[now + found / 64] >> UInt64(found % 64) & 1 != 0 { return true }
                let (scalar, length) = text.scalar(at: position)
                if length == 0 {
                    reached.removeAll()
                    reached.insert(memory[now..<now + words]) { waiting[$0] }
                    return program.advance(in: text, position, &reached, &following)
                }
                let mask = masks.offset(of: scalar)
                masks.bits.withUnsafeBufferPointer { masks in
                    for word in 0..<words {
                        memory[now + word] &= masks[mask + word]
                        memory[next + word] = 0
                    }
                }
                move(memory, from: now, to: next)
                swap(&now, &next)
                position += length
            }
        }
    }

    private func move(_ memory: UnsafeMutableBufferPointer<UInt64>, from now: Int, to next: Int) {
        movers.withUnsafeBufferPointer { movers in
            for (index, distance) in distances.enumerated() {
                for word in 0..<words {
                    let bits = memory[now + word] & movers[index * words + word]
                    if bits == 0 { continue }
                    let place = word * 64 + distance
                    let target = next + (place >> 6)
                    let offset = UInt64(place & 63)
                    memory[target] |= bits &<< offset
                    memory[target + 1] |= bits >> (64 - offset)
                }
            }
        }
        for (word, bits, place) in gathers where memory[now + word] & bits != 0 {
            memory[next + place / 64] |= 1 << UInt64(place % 64)
        }
    }
}

extension PatternProgram.Step {
    fileprivate var takesScalar: Bool {
        switch self {
        case .scalar, .set: true
        default: false
        }
    }

    /// Whether it ends a way between two scalars.
    fileprivate var isWaiting: Bool {
        switch self {
        case .scalar, .set, .end, .found: true
        case .split, .jump, .start, .wordEdge: false
        }
    }
}

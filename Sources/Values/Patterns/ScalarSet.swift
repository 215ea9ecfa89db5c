/// A set of Unicode scalars, by their numbers.
struct ScalarSet: Equatable, Sendable {
    /// In ascending order, with gaps between them.
    private let ranges: [ClosedRange<UInt32>]

    var rangeCount: Int { ranges.count }

    /// Those that most texts are made of, to be found without a search.
    let ascii: ByteSet

    init(_ unordered: [ClosedRange<UInt32>]) {
        var ranges: [ClosedRange<UInt32>] = []
        for range in unordered.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = ranges.last, range.lowerBound <= last.upperBound + 1 {
                let end = max(last.upperBound, range.upperBound)
                ranges[ranges.count - 1] = last.lowerBound...end
            } else {
                ranges.append(range)
            }
        }
        self.ranges = ranges
        ascii = ByteSet((0..<0x80).filter { byte in ranges.contains { $0 ~= UInt32(byte) } })
    }

    static func == (left: ScalarSet, right: ScalarSet) -> Bool { left.ranges == right.ranges }

    init(union sets: [ScalarSet]) {
        self.init(sets.flatMap(\.ranges))
    }

    /// All scalars that are not in it.
    var complement: ScalarSet {
        var gaps: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if next < range.lowerBound { gaps.append(next...(range.lowerBound - 1)) }
            next = range.upperBound + 1
        }
        if next <= Self.last { gaps.append(next...Self.last) }
        return ScalarSet(gaps)
    }

    /// Where the set begins and where it has ended, scalar by scalar.
    var edges: [UInt32] { ranges.flatMap { [$0.lowerBound, $0.upperBound + 1] } }

    func contains(_ scalar: UInt32) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= scalar
    }

    static let last: UInt32 = 0x10_FFFF
}

// As ECMA-262 defines them.
extension ScalarSet {
    /// `\d`.
    static let digits = ScalarSet([0x30...0x39])

    /// `\w`.
    static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])

    /// `\s`: white space, line terminators and the byte order mark.
    static let space = ScalarSet([
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
        0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ])

    /// `.`: all but the line terminators.
    static let anyInLine = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029]).complement
}

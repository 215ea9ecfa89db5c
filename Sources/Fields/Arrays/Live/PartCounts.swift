/// How many others each element of an array has become.
///
/// They move with every edit, so each is a byte while none is greater than 255.
struct PartCounts: Sendable {
    private var small: [UInt8] = []
    /// All of them, once one is too great for a byte.
    private var great: [Int]?

    mutating func append(_ count: Int) { insert(count, at: great?.count ?? small.count) }

    mutating func insert(_ count: Int, at index: Int) {
        if great == nil, let byte = UInt8(exactly: count) {
            small.insert(byte, at: index)
        } else {
            widen()
            great?.insert(count, at: index)
        }
    }

    @discardableResult
    mutating func remove(at index: Int) -> Int {
        great?.remove(at: index) ?? Int(small.remove(at: index))
    }

    subscript(index: Int) -> Int {
        get { great?[index] ?? Int(small[index]) }
        set {
            if great == nil, let byte = UInt8(exactly: newValue) {
                small[index] = byte
            } else {
                widen()
                great?[index] = newValue
            }
        }
    }

    /// The sum of those before an index.
    func sum(before index: Int) -> Int {
        great?[..<index].reduce(0, &+) ?? small[..<index].reduce(0) { $0 &+ Int($1) }
    }

    private mutating func widen() {
        if great != nil { return }
        great = small.map(Int.init)
        small = []
    }
}

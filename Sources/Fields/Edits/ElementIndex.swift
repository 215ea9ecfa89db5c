/// What elements an array without duplicates has.
///
/// If the elements are `Hashable`, looking one up takes the same time in every array; otherwise each
/// is looked at. It runs `==` and `hash` of the element.
final class ElementIndex<Element: Equatable> {
    /// The revision of the array; no other array has it.
    var revision: UInt64 = 0
    private var elements: [Int: Element] = [:]
    /// Those whose hash value another has.
    private var colliding: [Int: [Element]] = [:]

    init(_ elements: [Element] = []) {
        for element in elements { insert(element) }
    }

    /// Adds an element.
    ///
    /// - Returns: Whether it was added: false if there is one that is the same.
    @discardableResult
    func insert(_ element: Element) -> Bool {
        let hash = hash(of: element)
        guard let other = elements[hash] else {
            elements[hash] = element
            return true
        }
        if isSame(other, element) { return false }
        if colliding[hash]?.contains(where: { isSame($0, element) }) == true { return false }
        colliding[hash, default: []].append(element)
        return true
    }

    func remove(_ element: Element) {
        let hash = hash(of: element)
        guard let other = elements[hash] else { return }
        if isSame(other, element) {
            elements[hash] = colliding[hash]?.popLast()
        } else if let index = colliding[hash]?.firstIndex(where: { isSame($0, element) }) {
            colliding[hash]?.remove(at: index)
        }
    }

    private func hash(of element: Element) -> Int {
        (element as? any Hashable)?.hashValue ?? 0
    }
}

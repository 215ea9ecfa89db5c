/// One step from an array to another.
///
/// ```swift
/// tags.observeEdits { change in
///     for case .insert(let tag, at: let index) in change.edits { print("\(tag) at \(index)") }
/// }
/// ```
///
/// Edits that follow one another are applied one by one: the indices of each are those of the array
/// that the ones before have left.
public enum ArrayEdit<Element: Sendable>: Sendable {
    /// An element is added before the one at an index, or at the end.
    case insert(Element, at: Int)
    /// An element is removed.
    case remove(Element, at: Int)
    /// Another element takes the place of one.
    case replace(Element, with: Element, at: Int)
    /// An element is taken out at one index and put in at another, which is its index afterwards.
    case move(Element, from: Int, to: Int)
    /// All elements are replaced.
    case reset([Element])
}

extension ArrayEdit: Equatable where Element: Equatable {}
extension ArrayEdit: Hashable where Element: Hashable {}

extension ArrayEdit where Element: Equatable {
    /// Applies the edit to an array that is a copy of the one it was made on.
    ///
    /// - Throws: If the array is no such copy, as far as that can be seen; it is left as it was.
    public func apply(to array: inout [Element]) throws(ArrayEditError) {
        switch self {
        case .insert(_, at: let index):
            try Self.check(index, in: array.count + 1)
        case .remove(let element, at: let index), .replace(let element, with: _, at: let index):
            try Self.check(element, at: index, in: array)
        case .move(let element, from: let start, to: let end):
            try Self.check(element, at: start, in: array)
            try Self.check(end, in: array.count)
        case .reset: break
        }
        perform(on: &array)
    }

    /// Applies the edit to an array that it fits.
    ///
    /// It runs no code of the user.
    ///
    /// - Returns: The elements of an array that is reset, to be released where their code may run.
    @discardableResult
    func perform(on array: inout [Element]) -> [Element] {
        switch self {
        case .insert(let element, at: let index): array.insert(element, at: index)
        case .remove(_, at: let index): array.remove(at: index)
        case .replace(_, with: let new, at: let index): array[index] = new
        case .move(_, from: let start, to: let end):
            array.insert(array.remove(at: start), at: end)
        case .reset(let elements):
            defer { array = elements }
            return array
        }
        return []
    }

    private static func check(_ index: Int, in count: Int) throws(ArrayEditError) {
        if index < 0 || index >= count { throw .indexOutside(index, limit: count) }
    }

    private static func check(
        _ element: Element,
        at index: Int,
        in array: [Element]
    ) throws(ArrayEditError) {
        try check(index, in: array.count)
        if !isSame(array[index], element) { throw .differentElement(at: index) }
    }

    /// The edit that takes this one back; nil for a reset, which has forgotten what was there.
    var inverse: ArrayEdit? {
        switch self {
        case .insert(let element, at: let index): .remove(element, at: index)
        case .remove(let element, at: let index): .insert(element, at: index)
        case .replace(let old, with: let new, at: let index): .replace(new, with: old, at: index)
        case .move(let element, from: let start, to: let end): .move(element, from: end, to: start)
        case .reset: nil
        }
    }
}

/// Why an edit cannot be applied: the array is not a copy of the one that the edit was made on.
public enum ArrayEditError: Error, Hashable, CustomStringConvertible {
    /// The index must be less than the limit.
    case indexOutside(Int, limit: Int)
    /// Another element is there.
    case differentElement(at: Int)

    public var description: String {
        switch self {
        case .indexOutside(let index, let limit):
            "the array does not fit the edit: index \(index) is outside 0..<\(limit)"
        case .differentElement(let index):
            "the array does not fit the edit: another element is at index \(index)"
        }
    }
}

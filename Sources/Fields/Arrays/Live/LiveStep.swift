/// How an array is made of another, and follows its edits.
///
/// It keeps what it needs to find the place of an element in the one array by that in the other.
protocol LiveStep: Sendable {
    associatedtype Input: Equatable & Sendable
    associatedtype Output: Equatable & Sendable

    /// Makes the array of all elements.
    mutating func begin(with elements: [Input]) throws -> [Output]

    /// Follows one edit, which is no reset.
    mutating func follow(_ edit: ArrayEdit<Input>, in result: inout LiveResult<Output>) throws
}

/// An array and the edits that were made to it.
struct LiveResult<Element: Equatable & Sendable> {
    private(set) var elements: [Element]
    private(set) var edits: [ArrayEdit<Element>] = []

    init(_ elements: [Element]) { self.elements = elements }

    mutating func insert(_ element: Element, at index: Int) {
        elements.insert(element, at: index)
        edits.append(.insert(element, at: index))
    }

    mutating func remove(at index: Int) {
        edits.append(.remove(elements.remove(at: index), at: index))
    }

    mutating func replace(at index: Int, with element: Element) {
        let old = elements[index]
        if isSame(old, element) { return }
        elements[index] = element
        edits.append(.replace(old, with: element, at: index))
    }

    mutating func move(from start: Int, to end: Int) {
        if start == end { return }
        let element = elements.remove(at: start)
        elements.insert(element, at: end)
        edits.append(.move(element, from: start, to: end))
    }
}

/// Each element becomes another.
struct MapStep<Input: Equatable & Sendable, Output: Equatable & Sendable>: LiveStep {
    let transform: @Sendable (Input) throws -> Output

    mutating func begin(with elements: [Input]) throws -> [Output] { try elements.map(transform) }

    mutating func follow(_ edit: ArrayEdit<Input>, in result: inout LiveResult<Output>) throws {
        switch edit {
        case .insert(let element, at: let index):
            result.insert(try transform(element), at: index)
        case .remove(_, at: let index): result.remove(at: index)
        case .replace(_, with: let element, at: let index):
            result.replace(at: index, with: try transform(element))
        case .move(_, from: let start, to: let end): result.move(from: start, to: end)
        case .reset: break
        }
    }
}

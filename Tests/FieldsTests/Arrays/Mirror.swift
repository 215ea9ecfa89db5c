import ModelKitFields

/// A copy of an array that is kept up to date by edits alone.
final class Mirror<Element: Equatable & Sendable>: Sendable {
    private let states = Log<[Element]>()
    private let errors = Log<String>()

    var elements: [Element] { states.entries.last ?? [] }
    /// What did not fit.
    var faults: [String] { errors.entries }

    func follow(_ change: ArrayChange<Element>) {
        var copy = elements
        if copy != change.old { errors.add("\(copy) is not \(change.old), the old array") }
        do {
            try change.apply(to: &copy)
        } catch {
            errors.add("\(error)")
        }
        if copy != change.new { errors.add("\(copy) is not \(change.new) after \(change.edits)") }
        states.clear()
        states.add(copy)
    }
}

/// An element that counts how often it is compared and hashed.
struct Counted: Hashable, Sendable {
    let number: Int
    let uses: Counter

    init(_ number: Int, _ uses: Counter) {
        self.number = number
        self.uses = uses
    }

    static func == (left: Counted, right: Counted) -> Bool {
        left.uses.increment()
        return left.number == right.number
    }

    func hash(into hasher: inout Hasher) {
        uses.increment()
        hasher.combine(number)
    }
}

/// The edits that lead from one array to another, of whatever element.
///
/// It may be joined with others under a lock, so it keeps what it forgets: releasing an element may
/// run code of the user.
// Safe: it is changed only by the one that has copied it, before anyone else gets it; one that is a
// reset never changes.
@usableFromInline
class EditScript: @unchecked Sendable {
    enum Kind {
        case edits
        /// The edits are not all known: they are to be found by comparing the arrays.
        case unknown
        /// The new array takes the place of the old one, without single edits.
        case reset
    }

    final var kind: Kind

    init(_ kind: Kind) {
        self.kind = kind
    }

    /// The script of every change that is only a reset.
    @usableFromInline static let reset = EditScript(.reset)

    /// Another with the same edits.
    func copy() -> EditScript { self }

    /// Adds what follows; nil is a change of which the edits are not known.
    @usableFromInline
    final func append(_ next: EditScript?) {
        switch (kind, next?.kind ?? .unknown) {
        case (.reset, _): break
        case (_, .reset): kind = .reset
        case (.unknown, _), (_, .unknown): kind = .unknown
        case (.edits, .edits): if let next { appendEdits(next) }
        }
    }

    /// Adds the edits of another, of which all are known.
    func appendEdits(_ next: EditScript) {}
}

/// The edits that lead from one array to another.
// Safe: as for `EditScript`.
final class ArrayEditScript<Element: Equatable & Sendable>: EditScript, @unchecked Sendable {
    private(set) var edits: [ArrayEdit<Element>]
    /// How many elements the new array has.
    private var count: Int

    init(_ edits: [ArrayEdit<Element>], count: Int) {
        self.edits = edits
        self.count = count
        super.init(.edits)
    }

    /// So many edits a script has at most; with more it is a reset.
    static func limit(forCount count: Int) -> Int { 1024 + count }

    override func copy() -> EditScript {
        let copy = ArrayEditScript(edits, count: count)
        copy.kind = kind
        return copy
    }

    override func appendEdits(_ next: EditScript) {
        // The changes of a field have scripts of its element type.
        let next = unsafeDowncast(next, to: ArrayEditScript<Element>.self)
        count = next.count
        if edits.count + next.edits.count > Self.limit(forCount: count) {
            kind = .reset
        } else {
            edits += next.edits
        }
    }

    static func script(_ edits: [ArrayEdit<Element>], count: Int) -> EditScript {
        if case .reset? = edits.first { return .reset }
        return edits.count > limit(forCount: count)
            ? .reset : ArrayEditScript(edits, count: count)
    }
}

/// An array that is made of another, step by step where the edits of that are known.
///
/// It is what a computed field runs. The step's closures run for what the edits bring alone, unless
/// they have read fields: then for all elements, so that all they read is noted.
final class LiveArray<Step: LiveStep>: Sendable {
    private struct State: Sendable {
        /// Whoever takes it out has it alone.
        var memo: Memo?
        var edits: PropagatedEdits<[Step.Output]>?
    }

    private struct Memo: Sendable {
        var step: Step
        var result: [Step.Output]
        var mark: LiveSource<Step.Input>.Mark
        /// Whether the closures have read something.
        var hasRead: Bool
    }

    private let source: LiveSource<Step.Input>
    private let step: Step
    private let state = Guarded(State())

    init(_ source: LiveSource<Step.Input>, _ step: Step) {
        self.source = source
        self.step = step
    }

    /// Makes the array right.
    ///
    /// - Throws: What a closure of the step throws, or what the source has failed with.
    func evaluate() throws -> [Step.Output]? {
        // Another evaluation may have it.
        let memo = state.withLock { $0.memo.take() }
        let read = try source.read(memo?.mark)
        guard let elements = read.elements else {
            put(nil, nil)
            return nil
        }
        if let memo, !memo.hasRead, let edits = read.edits {
            return try follow(edits, memo, read.mark)
        }
        var step = step
        let reads = Tracker.reads
        let result = try step.begin(with: elements)
        let hasRead = Tracker.reads != reads
        put(Memo(step: step, result: result, mark: read.mark, hasRead: hasRead), nil)
        return result
    }

    private func follow(
        _ edits: [ArrayEdit<Step.Input>],
        _ memo: Memo,
        _ mark: LiveSource<Step.Input>.Mark
    ) throws -> [Step.Output] {
        var step = memo.step
        var result = LiveResult(memo.result)
        let reads = Tracker.reads
        for edit in edits { try step.follow(edit, in: &result) }
        let hasRead = Tracker.reads != reads
        let new = result.elements
        put(
            Memo(step: step, result: new, mark: mark, hasRead: hasRead),
            PropagatedEdits(
                from: memo.result,
                to: new,
                ArrayEditScript.script(result.edits, count: new.count)
            )
        )
        return new
    }

    private func put(_ new: Memo?, _ newEdits: PropagatedEdits<[Step.Output]>?) {
        let remains = state.exchange(State(memo: new, edits: newEdits))
        withExtendedLifetime(remains) {}
        // What has read fields is made anew whenever the array is another.
        source.follow(ObjectIdentifier(self), new.flatMap { $0.hasRead ? nil : $0.mark })
    }

    deinit { source.follow(ObjectIdentifier(self), nil) }
}

/// Where the elements of a live array come from.
struct LiveSource<Element: Equatable & Sendable>: Sendable {
    /// What was read the last time.
    enum Mark: Sendable {
        case revision(UInt64)
        case array([Element])

        fileprivate var revision: UInt64? {
            if case .revision(let revision) = self { revision } else { nil }
        }
    }

    /// Reads the elements, and the edits that have led to them since the last time, where they are known.
    let read:
        @Sendable (_ last: Mark?) throws -> (
            elements: [Element]?, mark: Mark, edits: [ArrayEdit<Element>]?
        )
    /// Has the edits kept that come after what a reader has read; nil if it follows no longer.
    let follow: @Sendable (_ reader: ObjectIdentifier, _ mark: Mark?) -> Void

    init(_ source: some ValueSource<[Element]>) {
        if let field = source as? ArrayField<Element> {
            read = { last in
                let read = field.read(since: last?.revision)
                return (read.elements, .revision(read.revision), read.edits)
            }
            follow = { reader, mark in field.follow(reader, from: mark?.revision) }
            return
        }
        let computed = source as? Computed<[Element]>
        read = { last in
            let elements = try computed.map { try $0.get() } ?? source.value
            var edits: [ArrayEdit<Element>]?
            if case .array(let known)? = last, let elements {
                edits = computed?.edits(from: known, to: elements)
            }
            return (elements, .array(elements ?? []), edits)
        }
        // A computed one has its last edits anyway.
        follow = { _, _ in }
    }
}

extension LiveArray {
    /// A computed field that it is the value of.
    var computed: Computed<[Step.Output]> {
        Computed(
            node: ValueNode({ try self.evaluate() }, edits: { self.state.withLock { $0.edits } })
        )
    }
}

extension Computed {
    /// The edits that lead from one of its values to the last, if they are known.
    fileprivate func edits<Element>(
        from old: [Element],
        to new: [Element]
    ) -> [ArrayEdit<Element>]? where Value == [Element], Element: Equatable & Sendable {
        if isIdentical(old, new) { return [] }
        let edits = node.lock.withLock { node.edits }
        guard let script = edits?()?.script(from: old, to: new), script.kind == .edits else {
            return nil
        }
        // The edits of a field's values have scripts of its element type.
        return unsafeDowncast(script, to: ArrayEditScript<Element>.self).edits
    }
}

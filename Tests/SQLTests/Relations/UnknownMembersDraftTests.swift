import ModelKitFields
import ModelKitForms
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

/// Drafts of models that have relations which are not loaded, or not any more.
@Suite struct UnknownMembersDraftTests {
    private func reports<Result>(_ body: () throws -> Result) rethrows -> (Result, [String]) {
        let seen = Notes<Diagnostic>()
        let result = try ModelKitDiagnostics.withHandler({ seen.add($0) }, body)
        return (result, seen.entries.filter { $0.code == .relationNotLoaded }.map(\.message))
    }

    @Test(arguments: OrderStore.Kind.allCases)
    func `what is not loaded cannot be edited, and the rest can`(
        _ kind: OrderStore.Kind
    ) async throws {
        let store = try await OrderStore(kind), here = store.open()
        let order = try await here.lookup(DraftedOrder.self, identifier: "1").value
        let bread = try await here.line("bread")
        let draft = order.draft()
        expect(draft.lines.loadState == .notLoaded && draft.lines.value == nil)
        expect(draft.scratch.total.value == nil && draft.scratch.total.loadState == .notLoaded)
        let edits: [() -> Void] = [
            { draft.lines.value = [] },
            { draft.lines.append(DraftedLine("eggs", 12)) },
            { draft.lines.insert(bread, at: 0) },
            { draft.lines.insert(bread, at: 3) },
            { draft.lines.removeAll() },
            { draft.note.value = DraftedNote() },
        ]
        for edit in edits {
            let (_, messages) = reports(edit)
            expect(messages.count == 1 && messages[0].contains("load it"))
            expect(!draft.isDirty && draft.changes == [])
        }
        draft.title.value = "new"
        expect(draft.changes == [["title"]] && draft.validate() == .valid)
        let (_, messages) = try reports { try draft.commit() }
        expect(messages, equals: [])
        expect(order.title.value == "new" && bread.order.value === order)
        _ = try await here.save(order, including: \.lines).value
        try await expect(store.text(), equals: "bread 1, milk 2")
    }

    @Test(arguments: OrderStore.Kind.allCases)
    func `a form of a draft is submitted whatever is not loaded`(
        _ kind: OrderStore.Kind
    ) async throws {
        let store = try await OrderStore(kind), here = store.open()
        let order = try await here.lookup(DraftedOrder.self, identifier: "1")
        let form = Form().add(order.draft()), own = Form().add(order)
        expect(form.validate() == .valid && own.validate() == .valid)
        try await own.submit {}
        try await form.submit { try form.commit() }
        expect(form.isSubmitSuccessful && own.isSubmitSuccessful)
        try await here.load(order, \.lines)
        expect(own.validate(), equals: .valid)
        order.lines.value?[0].count.value = 0
        expect(own.validate().isInvalid)
    }

    @Test(arguments: OrderStore.Kind.allCases)
    func `what is loaded while the draft is open can be edited after a rebase`(
        _ kind: OrderStore.Kind
    ) async throws {
        let store = try await OrderStore(kind), here = store.open()
        let order = try await here.lookup(DraftedOrder.self, identifier: "1").value
        let draft = order.draft()
        draft.title.value = "new"
        _ = try await here.load(order, \.lines).value
        expect(draft.changes == [["title"]] && draft.conflicts == [])
        expect(draft.rebase(), equals: [])
        expect(draft.scratch.text == "bread 1, milk 2" && draft.lines.loadState == .loaded)
        draft.lines[1]?.count.value = 5
        draft.lines.remove(at: 0)
        expect(draft.changes, equals: [["title"], ["lines"], ["lines", 0, "count"]])
        expect(order.text, equals: "bread 1, milk 2")
        try draft.commit()
        _ = try await here.save(order, including: \.lines).value
        try await expect(store.text(), equals: "milk 5")
    }

    @Test(arguments: OrderStore.Kind.allCases, [false, true])
    func `what is unloaded while it is edited is a conflict until it is loaded again`(
        _ kind: OrderStore.Kind,
        _ isInside: Bool
    ) async throws {
        let store = try await OrderStore(kind), here = store.open()
        let order = try await here.order()
        let draft = order.draft()
        if isInside {
            draft.lines[0]?.count.value = 5
        } else {
            draft.lines.append(DraftedLine("eggs", 12))
        }
        here.unload(order, \.lines)
        expect(draft.conflicts, equals: [["lines"]])
        for overwriting in [false, true] {
            let error = #expect(throws: DraftError.self) {
                try draft.commit(overwriting: overwriting)
            }
            expect(error?.conflicts, equals: [["lines"]])
            expect(draft.rebase(), equals: [["lines"]])
        }
        expect(order.lines.value == nil && order.lines.loadState == .notLoaded)
        _ = try await here.load(order, \.lines).value
        expect(draft.conflicts, equals: [])
        try draft.commit()
        _ = try await here.save(order, including: \.lines).value
        let expected = isInside ? "bread 5, milk 2" : "bread 1, eggs 12, milk 2"
        try await expect(store.text(), equals: expected)
    }

    @Test(arguments: OrderStore.Kind.allCases)
    func `what is unloaded and not edited is not loaded in the draft either`(
        _ kind: OrderStore.Kind
    ) async throws {
        let store = try await OrderStore(kind), here = store.open()
        let order = try await here.order()
        let draft = order.draft()
        draft.title.value = "new"
        here.unload(order, \.lines)
        expect(draft.conflicts, equals: [])
        try draft.commit()
        expect(draft.lines.value == nil && draft.lines.loadState == .notLoaded)
        expect(reports { draft.lines.append(DraftedLine("eggs", 12)) }.1.count, equals: 1)
        _ = try await here.order()
        expect(draft.rebase() == [] && draft.lines.count == 2)
    }

    @Test(arguments: OrderStore.Kind.allCases)
    func `what is set in spite of others keeps the members that they have added`(
        _ kind: OrderStore.Kind
    ) async throws {
        let store = try await OrderStore(kind), here = store.open(), there = store.open()
        let order = try await here.order()
        let draft = order.draft()
        draft.lines[0]?.count.value = 5
        draft.lines.remove(at: 1)
        let theirs = try await there.order()
        theirs.lines[0]?.count.value = 7
        theirs.lines.append(DraftedLine("salt", 4))
        _ = try await there.save(theirs, including: \.lines).value
        _ = try await here.load(order, \.lines).value
        expect(draft.conflicts, equals: [["lines", 0, "count"]])
        try draft.commit(overwriting: true)
        expect(order.text, equals: "bread 5, salt 4")
        _ = try await here.save(order, including: \.lines).value
        try await expect(store.text(), equals: "bread 5, salt 4")
    }
}

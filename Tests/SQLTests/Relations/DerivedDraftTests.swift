import ModelKitFields
import ModelKitForms
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

/// Drafts of orders whose lines are records of their own, from memory and from a file that was opened again.
@Suite struct DerivedDraftTests {
    @Test(arguments: OrderStore.Kind.allCases)
    func `an order is edited with its lines, and stored as the draft has it`(
        _ kind: OrderStore.Kind
    ) async throws {
        let store = try await OrderStore(kind), here = store.open()
        let order = try await here.order(), other = try await here.order("2")
        let bread = try #require(order.lines[0]), milk = try #require(order.lines[1])
        let tea = try #require(other.lines[0])
        let totals = Notes<Int?>(), members = Notes<String>(), others = Notes<String>()
        order.total.observe(when: .changes) { totals.add($0) }
        order.lines.observe(when: .changes) { [order] _ in members.add(order.text) }
        other.lines.observe(when: .changes) { [other] _ in others.add(other.text) }

        let draft = order.draft()
        expect(!draft.isDirty && draft.lines.count == 2)
        draft.lines[0]?.count.value = 5
        draft.lines.remove(at: 1)
        let eggs = DraftedLine("eggs", 12)
        draft.lines.append(eggs)
        draft.lines.append(tea)
        expect(draft.changes, equals: [["lines"], ["lines", 0, "count"]])
        expect(draft.isDirty(\.lines) && !draft.isDirty(\.title))
        expect(draft.scratch.total.value, equals: 20)
        expect(order.text == "bread 1, milk 2" && other.text == "tea 3")
        expect(eggs.order.value == nil && tea.order.value === other)
        expect(totals.entries == [] && members.entries == [] && others.entries == [])

        try draft.commit()
        expect(!draft.isDirty)
        expect(order.lines.value, equals: [bread, eggs, tea], "they are the same objects")
        expect(milk.order.value == nil && eggs.order.value === order)
        expect(totals.entries, equals: [20])
        expect(members.entries == ["bread 5, eggs 12, tea 3"] && others.entries == [""])

        _ = try await here.save(order, including: \.lines).value
        try await expect(store.text(), equals: "bread 5, eggs 12, tea 3")
        try await expect(store.text("2"), equals: "")
        try await expect(store.lineCount(), equals: 3, "what was taken out is deleted")
        expect(draft.changes == [] && draft.lines.count == 3)
        draft.lines[1]?.count.value = 6
        try draft.commit()
        _ = try await here.save(order, including: \.lines).value
        try await expect(store.text(), equals: "bread 5, eggs 6, tea 3")
    }

    @Test(arguments: OrderStore.Kind.allCases)
    func `a draft that is cancelled has changed nothing, nor is anything to be stored`(
        _ kind: OrderStore.Kind
    ) async throws {
        let store = try await OrderStore(kind), here = store.open()
        let order = try await here.order(), other = try await here.order("2")
        let lines = order.lines.value, revisions = try await store.revisions()
        let events = Notes<String>()
        order.lines.observe(when: .everySet) { _ in events.add("lines") }
        other.lines.observe(when: .everySet) { _ in events.add("others") }
        for line in lines ?? [] {
            line.count.observe(when: .everySet) { _ in events.add("count") }
            line.order.observe(when: .everySet) { _ in events.add("order") }
        }
        let before = events.entries.count
        func edit(_ draft: ModelDraft<DraftedOrder>) {
            draft.lines[0]?.count.value = 5
            draft.lines[1]?.order.value = other
            draft.lines.remove(at: 1)
            draft.lines.append(DraftedLine("eggs", 12))
            if let tea = other.lines[0] { draft.lines.append(tea) }
        }
        var draft: ModelDraft? = order.draft()
        draft.map(edit)
        draft?.revert(\.lines)
        expect(draft?.changes == [] && draft?.scratch.text == "bread 1, milk 2")
        draft.map(edit)
        draft?.discard()
        expect(draft?.isDirty == false && draft?.scratch.text == "bread 1, milk 2")
        draft.map(edit)
        draft = nil
        expect(events.entries.count, equals: before)
        expect(order.lines.value == lines && order.text == "bread 1, milk 2")
        _ = try await here.update(order, including: \.lines).value
        _ = try await here.update(other, including: \.lines).value
        try await expect(store.revisions(), equals: revisions)
    }

    @Test(arguments: OrderStore.Kind.allCases)
    func `what others have set in a line is a conflict of its field`(
        _ kind: OrderStore.Kind
    ) async throws {
        let store = try await OrderStore(kind), here = store.open(), there = store.open()
        let order = try await here.order()
        let draft = order.draft()
        draft.lines[0]?.count.value = 5
        let bread = try await there.line("bread")
        bread.count.value = 7
        _ = try await there.update(bread).value
        let milk = try await there.line("milk")
        milk.count.value = 8
        _ = try await there.update(milk).value
        _ = try await here.order()
        expect(order.text, equals: "bread 7, milk 8")
        expect(draft.conflicts, equals: [["lines", 0, "count"]])
        #expect(throws: DraftError.self) { try draft.commit() }
        expect(order.text, equals: "bread 7, milk 8")
        expect(draft.rebase(), equals: [["lines", 0, "count"]])
        expect(draft.scratch.text, equals: "bread 5, milk 8")
        try draft.commit()
        _ = try await here.save(order, including: \.lines).value
        try await expect(store.text(), equals: "bread 5, milk 8")
    }

    @Test(arguments: OrderStore.Kind.allCases)
    func `members that others have added or taken out are kept beside those of the draft`(
        _ kind: OrderStore.Kind
    ) async throws {
        let store = try await OrderStore(kind), here = store.open(), there = store.open()
        let order = try await here.order()
        let draft = order.draft()
        draft.lines.append(DraftedLine("eggs", 12))
        let theirs = try await there.order()
        theirs.lines.append(DraftedLine("salt", 4))
        theirs.lines.remove(at: 1)
        _ = try await there.save(theirs, including: \.lines).value
        _ = try await here.load(order, \.lines).value
        expect(order.text, equals: "bread 1, salt 4")
        expect(draft.conflicts == [] && draft.changes == [["lines"]])
        try draft.commit()
        expect(order.text, equals: "bread 1, eggs 12, salt 4")
        expect(draft.changes, equals: [])
        _ = try await here.save(order, including: \.lines).value
        try await expect(store.text(), equals: "bread 1, eggs 12, salt 4")
        try await expect(store.lineCount(), equals: 4)
    }

    @Test(arguments: OrderStore.Kind.allCases)
    func `a line that is edited here and was deleted by others is a conflict`(
        _ kind: OrderStore.Kind
    ) async throws {
        let store = try await OrderStore(kind), here = store.open(), there = store.open()
        let order = try await here.order()
        let draft = order.draft()
        draft.lines[1]?.count.value = 5
        draft.title.value = "new"
        _ = try await there.delete(there.line("milk")).value
        _ = try await here.load(order, \.lines).value
        expect(order.text, equals: "bread 1")
        expect(draft.conflicts, equals: [["lines"]])
        let error = #expect(throws: DraftError.self) { try draft.commit() }
        expect(error?.conflicts, equals: [["lines"]])
        draft.revert(\.lines)
        expect(draft.conflicts == [] && draft.changes == [["title"]])
        try draft.commit()
        expect(draft.scratch.text == "bread 1" && order.title.value == "new")
        _ = try await here.save(order, including: \.lines).value
        try await expect(store.text(), equals: "bread 1")
    }

    @Test(arguments: OrderStore.Kind.allCases)
    func `a line that others have moved to another order is not taken back by an edit of the rest`(
        _ kind: OrderStore.Kind
    ) async throws {
        let store = try await OrderStore(kind), here = store.open(), there = store.open()
        let order = try await here.order(), other = try await here.order("2")
        let draft = order.draft()
        draft.lines[0]?.count.value = 5
        draft.lines.append(DraftedLine("eggs", 12))
        let milk = try await there.line("milk")
        milk.order.value = try await there.order("2")
        _ = try await there.update(milk).value
        _ = try await here.load([order, other], \.lines).value
        expect(order.text == "bread 1" && other.text == "milk 2, tea 3")
        expect(draft.conflicts, equals: [])
        try draft.commit()
        _ = try await here.save(order, including: \.lines).value
        try await expect(store.text(), equals: "bread 5, eggs 12")
        try await expect(store.text("2"), equals: "milk 2, tea 3")
    }

    @Test(arguments: OrderStore.Kind.allCases)
    func `lines of lines are edited and stored, as far as they are loaded`(
        _ kind: OrderStore.Kind
    ) async throws {
        let store = try await OrderStore(kind), here = store.open()
        let order = try await here.order()
        let bread = try #require(order.lines[0]), milk = try #require(order.lines[1])
        _ = try await here.load(bread, \.parts).value
        let draft = order.draft()
        draft.lines[0]?.parts.append(DraftedPart("crust"))
        expect(draft.changes, equals: [["lines", 0, "parts"]])
        expect(milk.parts.value == nil && draft.lines[1]?.parts.value == nil)
        try draft.commit()
        expect(bread.parts.count == 1 && bread.parts[0]?.line.value === bread)
        _ = try await here.save(order, including: .relation(\.lines, including: .relation(\.parts)))
            .value
        let stored = try await here.records.fetch(RecordQuery(), of: DraftedPart.schema).value
        expect(stored.map { $0["line"] }, equals: ["bread"])
    }
}

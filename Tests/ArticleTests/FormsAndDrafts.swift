import ModelKit
import ModelKitSQL
import Testing

@Suite struct FormsAndDrafts {
    @Test func `the examples of the article run`() async throws {
        var partial = Partial<Visitor>()
        partial.update(\.name, to: "Ada")
        print(partial.name ?? "nobody")  // Ada
        print((try? partial.value(for: \.age)) as Any)  // nil: it is unset
        #expect(throws: (any Error).self) { try partial.value(for: \.age) }

        let validation = Partial<Visitor>.Validation(
            .required(\.name, "name"),
            .value(\.name, "name", .length(2...20)),
            .required(\.age, "age"),
            .value(\.age, "age", .min(18))
        )
        partial.update(\.age, to: 17)
        print(validation.report(on: partial).issues.map(\.description))
        // ["age must be greater than or equal to 18"]
        #expect(validation.report(on: partial).issues.map(\.code) == ["min"])
        partial.update(\.age, to: 36)
        print(validation.validate(partial).value?.name as Any)  // Optional("Ada")
        #expect(validation.validate(partial).value?.name == "Ada")

        var draft = Draft(Visitor(name: "Ada", age: 36))
        draft.age = 37
        print(draft.isDirty)  // true
        #expect(draft.isDirty)
        draft.age = 36
        print(draft.isDirty)  // false
        #expect(!draft.isDirty)
        draft.name = "Grace"
        let conflicts = draft.rebase(onto: Visitor(name: "Ada", age: 40))
        print(conflicts.isEmpty, draft.value.name, draft.value.age)  // true Grace 40
        #expect(conflicts.isEmpty)
        let visitor = draft.commit()
        print(visitor.name)  // Grace
        #expect(visitor.name == "Grace")
        #expect(visitor.age == 40)

        let guest = Guest()
        guest.name.value = "Ada"
        let edit = guest.draft()
        edit.name.value = ""
        print(edit.changes.map(\.description))  // ["name"]
        #expect(edit.changes == [["name"]])
        do {
            try edit.commit()
        } catch {
            print(error.issues.map(\.description))  // ["Name cannot be blank"]
            #expect(error.issues.map(\.description) == ["Name cannot be blank"])
        }
        print(guest.name.value ?? "")  // Ada
        #expect(guest.name.value == "Ada")
        edit.name.value = "Grace"
        try edit.commit()
        print(guest.name.value ?? "")  // Grace
        #expect(guest.name.value == "Grace")

        edit.name.value = "Grace Hopper"
        guest.name.value = "Eve"
        print(edit.rebase().map(\.description))  // ["name"]
        edit.revert(\.name)
        print(edit.name.value ?? "")  // Eve
        #expect(edit.name.value == "Eve" && !edit.isDirty)

        let cap = StockItem()
        let order = PurchaseOrder()
        let line = OrderLine()
        line.product.value = cap
        order.lines.append(line)

        let change = order.draft()
        change.lines.value?[0].count.value = 3
        change.lines.append(OrderLine())
        print(change.changes.map(\.description))  // ["lines", "lines[0].count"]
        #expect(change.changes == [["lines"], ["lines", 0, "count"]])
        print(line.count.value ?? 0, order.lines.count)  // 1 1
        #expect(line.count.value == 1 && order.lines.count == 1)
        try change.commit()
        print(line.count.value ?? 0, order.lines.count)  // 3 2
        #expect(line.count.value == 3 && order.lines.count == 2)

        change.lines.value?[0].product.value?.price.value = 25
        print(cap.price.value ?? 0, change.isDirty)  // 25 false
        #expect(cap.price.value == 25 && !change.isDirty)

        let store = MemoryModelStore()
        let made = SalesOrder()
        made.id.value = "s1"
        made.lines.value = [SalesLine(), SalesLine()]
        try await store.create(made, including: \.lines)

        let sale = try await store.lookup(SalesOrder.self, identifier: "s1")
        try await store.load(sale, \.lines)
        let revision = sale.draft()
        revision.lines[0]?.count.value = 5
        revision.lines.remove(at: 1)
        revision.lines.append(SalesLine())
        print(revision.changes.map(\.description))  // ["lines", "lines[0].count"]
        #expect(revision.changes == [["lines"], ["lines", 0, "count"]])
        try revision.commit()
        try await store.save(sale, including: \.lines)
        print(try await store.count(sale.lines))  // 2
        #expect(try await store.count(sale.lines) == 2)
        #expect(try await store.list(SalesLine.self).count == 2)
        #expect(sale.lines.value?.map(\.count.value) == [5, 1])

        let terms = Field<Bool>(name: "Terms").require(.accepted)
        let form = Form().add(guest.draft()).add(terms, named: "terms")
        print(form.validate().isInvalid)  // true
        print(form.firstInvalid?.path.description ?? "")  // terms
        #expect(form.firstInvalid?.path == ["terms"])

        let following = form.observeState { state in print(state) }
        // invalid(["Terms must be accepted"])
        #expect(form.state == .invalid(["Terms must be accepted"]))
        terms.value = true  // valid
        #expect(form.state == .valid)
        following.cancel()

        form.apply(messages: ["name": ["is taken"], "captcha": ["is wrong"]])
        print(form.issues.map(\.issue.description))
        print(form.generalIssues.map(\.description))  // ["captcha is wrong"]
        #expect(form.generalIssues.map(\.description) == ["captcha is wrong"])

        terms.value = true
        form.discard()
        terms.value = true
        try await form.submit {
            try form.commit()
        }
        print(form.isSubmitSuccessful)  // true
        #expect(form.isSubmitSuccessful)
    }

    final class Shelf: Model {
        let id = Field<String>()
        let items = ModelField<Item>(inverse: \.shelf).requireValid()*

        init() { linkFields() }
    }

    final class Item: Model {
        let id = Field<String>()
        let shelf = ModelField<Shelf>(foreignKey: true).require(.required)

        init() { linkFields() }
    }

    @Test func `members whose key is required come and go in a draft`() async throws {
        let store = MemoryModelStore()
        let shelf = Shelf()
        try await store.create(shelf)
        let edit = shelf.draft()
        let item = Item()
        edit.items.append(item)
        #expect(edit.validationIssues().map(\.path) == [["items", 0, "shelf"]])
        item.shelf.value = edit.scratch
        #expect(edit.validate() == .valid)
        try edit.commit()
        #expect(item.shelf.value === shelf)
        try await store.save(shelf, including: \.items)
        #expect(try await store.count(shelf.items) == 1)

        edit.items.remove(at: 0)
        try edit.commit()
        do {
            try await store.save(shelf, including: \.items)
        } catch StoreError.validation(let issues) {
            #expect(issues.map(\.code) == ["required"])
            #expect(issues.map(\.path) == [["items", "shelf"]])
        }
        #expect(try await store.count(shelf.items) == 1)
        try await store.delete(item)
        try await store.save(shelf, including: \.items)
        #expect(try await store.list(Item.self).isEmpty)
    }

    @Test func `a list of mine has a deleted model again`() async throws {
        let store = MemoryModelStore()
        let (post, tag) = (Post(), Tag())
        post.tags.value = [tag]
        try await store.perform([.create(tag), .create(post)])
        let edit = post.draft()
        edit.tags.append(Tag())
        try await store.delete(tag)
        #expect(edit.rebase() == [["tags"]])
        try edit.commit()
        #expect(post.tags.count == 2)
        do {
            try await store.update(post)
        } catch StoreError.validation(let issues) {
            #expect(issues.map(\.code) == ["deleted"])
        }
        #expect(try await store.list(Tag.self).isEmpty)
        try await store.save(post, including: \.tags)
        #expect(try await store.list(Tag.self).count == 2)
    }

    final class Post: Model {
        let id = Field<String>()
        let tags = ModelField<Tag>(foreignKey: true)*

        init() { linkFields() }
    }

    final class Tag: Model {
        let id = Field<String>()
        let posts = ModelField<Post>(inverse: \.tags)*

        init() { linkFields() }
    }
}

struct Visitor: PartialInitializable, Equatable {
    var name: String
    var age: Int

    init(name: String, age: Int) {
        self.name = name
        self.age = age
    }

    init(from partial: Partial<Visitor>) throws {
        name = try partial.value(for: \.name)
        age = try partial.value(for: \.age)
    }
}

final class StockItem: Model {
    let id = Field<Int>()
    let price = Field<Int>()
}

final class OrderLine: Model {
    let count = Field<Int>(value: 1).require(.min(1))
    let product = ModelField<StockItem>(foreignKey: true)
}

final class PurchaseOrder: Model {
    let lines = ModelField<OrderLine>().requireValid()*
}

final class SalesOrder: Model {
    let id = Field<String>()
    let lines = ModelField<SalesLine>(inverse: \.order, cascadeDelete: true).requireValid()*

    init() { linkFields() }
}

final class SalesLine: Model {
    let id = Field<String>()
    let count = Field<Int>(value: 1).require(.min(1))
    let order = ModelField<SalesOrder>(foreignKey: true)

    init() { linkFields() }
}

final class Guest: Model {
    let name = Field<String>(name: "Name").require(.notBlank)
}

extension FormsAndDrafts {
    @Test @MainActor func `the further examples of the article run`() async throws {
        let screen = MainScreen()
        var partial = Partial<Visitor>()
        partial.update(\.name, to: "Ada")
        partial.update(\.age, to: 36)

        let doctors = Partial<Visitor>.Validation(
            .required(\.name, "name"),
            .required(\.age, "age"),
            .together(\.name, \.age, report: "age", "must be 18 for a doctor") { name, age in
                !name.hasPrefix("Dr.") || age >= 18
            }
        )
        print(partial.keyPaths.count, partial.contains(\.age))  // 2 true
        #expect(partial.keyPaths.count == 2 && partial.contains(\.age))
        print(partial.removeValue(for: \.age) ?? 0)  // 36
        print(doctors.validate(partial).reasons.map { $0.keyPath == \Visitor.age })  // [true]
        #expect(doctors.validate(partial).reasons.map { $0.keyPath == \Visitor.age } == [true])

        let checks: [Partial<Visitor>.Check] = [
            .value(\.name, "name", .notBlank), .value(\.age, "age", .min(50)),
        ]
        var entry = Draft(Visitor(name: "Ada", age: 36))
        entry.name = ""
        entry.touch(\.name)
        print(entry.isDirty(\.name), entry.isDirty(\.age), entry.touched.count)  // true false 1
        #expect(entry.isDirty(\.name) && !entry.isDirty(\.age) && entry.touched.count == 1)
        print(entry.validateChanges(checks))  // invalid(["name cannot be blank"])
        #expect(entry.validateChanges(checks) == .invalid(["name cannot be blank"]))
        print(entry.validate(checks).isValid)  // false: the age is wrong, too
        #expect(entry.validate(checks) != entry.validateChanges(checks))
        do {
            try entry.commit(checks)
        } catch {
            print(error.issues.map(\.code))  // ["notBlank", "min"]
            #expect(error.issues.map(\.code) == ["notBlank", "min"])
        }
        entry.revert(\.name)
        print(entry.changes.count, entry.isTouched(\.name))  // 0 false
        #expect(entry.changes.isEmpty && !entry.isTouched(\.name))
        entry.age = 50
        entry.discard()
        print(entry.age)  // 36
        #expect(entry.age == 36)

        let host = Guest()
        host.name.value = "Ada"
        let change = host.draft()
        change.name.value = "Grace"
        print(change.isDirty(\.name), change.changedValues())  // true ["name": "Grace"]
        #expect(change.isDirty(\.name) && change.changedValues() == ["name": "Grace"])
        print(await change.validated(), change.validateChanges())  // valid valid
        #expect(change.validateChanges() == .valid)
        host.name.value = "Eve"
        print(change.conflicts.map(\.description))  // ["name"]
        #expect(change.conflicts == [["name"]])
        do {
            try change.commit()
        } catch {
            print(error.conflicts.map(\.description))  // ["name"]
            #expect(error.conflicts == [["name"]])
        }
        change.discard()
        print(change.name.value ?? "", change.conflicts.isEmpty)  // Ada true
        #expect(change.name.value == "Ada" && change.conflicts.isEmpty)

        let email = Field<String>(name: "Email").require(.required).require(.email)
        let phone = Field<String>(name: "Phone").require(.required)
        let contact = Form(["email": email, "phone": phone])
        contact.validate()
        print(contact.issues.count, contact.visibleIssues.count)  // 2 0
        #expect(contact.issues.count == 2 && contact.visibleIssues.isEmpty)
        contact.touch(email)
        print(contact.visibleIssues.map(\.description), contact.isTouched(phone))
        // ["Email is required"] false
        #expect(contact.visibleIssues.map(\.description) == ["Email is required"])
        #expect(!contact.isTouched(phone))
        print(contact.summary)  // Email is required, and on the next line: Phone is required
        #expect(contact.summary == "Email is required\nPhone is required")
        contact.setEnabled(false, for: "phone")  // or by its field
        email.value = "ada@example.com"
        print(contact.isCurrentlyValid, contact.isDirty)  // true true
        #expect(contact.isCurrentlyValid && contact.isDirty)
        print(contact.changes.map(\.description), contact.touched.map(\.description))
        // ["email"] ["email"]
        #expect(contact.changes == [["email"]] && contact.touched == [["email"]])
        contact.setEnabled(true, for: phone)
        print(contact.isCurrentlyValid)  // false
        #expect(!contact.isCurrentlyValid)

        let visitor = Field<Draft<Visitor>>(value: Draft(Visitor(name: "", age: 36)))
        let whole = Form().add(host).add(visitor, named: "visitor", checks: checks)
        whole.observeState(screen) { _, state in print(state) }
        whole.validate()
        print(whole.issues.map(\.description))
        // ["visitor.name cannot be blank", "visitor.age must be greater than or equal to 50"]
        #expect(whole.issues.map(\.path) == [["visitor", "name"], ["visitor", "age"]])
        for await state in whole.states {
            print(state.isInvalid)  // true
            #expect(state.isInvalid)
            break
        }

        visitor.value?.name = "Ada"
        visitor.value?.age = 50
        try await whole.submit { print(whole.isSubmitting, whole.submitCount) }  // true 1
        #expect(!whole.isSubmitting && whole.submitCount == 1)
    }

    @Test func `a save of an order that somebody else has written`() async throws {
        let path = TemporaryDatabase.path()
        defer { TemporaryDatabase.remove(path) }
        let store = try SQLiteModelStore(path: path, sharing: .severalProcesses)
        let theirs = try SQLiteModelStore(path: path, sharing: .severalProcesses)
        let made = SalesOrder()
        made.id.value = "s1"
        made.lines.value = [SalesLine(), SalesLine()]
        try await theirs.create(made, including: \.lines)
        let sale = try await store.lookup(SalesOrder.self, identifier: "s1", including: \.lines)
        func edit(_ count: Int) throws {
            let revision = sale.draft()
            revision.lines[0]?.count.value = count
            revision.lines.append(SalesLine())
            try revision.commit()
        }
        try edit(5)
        made.lines[0]?.count.value = 7
        try await theirs.save(made, including: \.lines)

        do {
            try await store.save(sale, including: \.lines)
        } catch StoreError.conflict {
            for line in sale.lines.value ?? [] where line.identifier != nil {
                try await store.update(line, onConflict: .theirs)
            }
            try await store.save(sale, including: \.lines)
        }
        #expect(sale.lines.value?.map(\.count.value) == [7, 1, 1])

        let before = sale.lines.value ?? []
        try edit(9)
        try await theirs.load(made, \.lines)
        made.lines[0]?.count.value = 8
        try await theirs.save(made, including: \.lines)
        await #expect(throws: StoreError.self) { try await store.save(sale, including: \.lines) }
        for line in sale.lines.value ?? [] where line.identifier == nil { line.order.value = nil }
        for line in before { line.unload() }
        sale.unload()
        _ = try await store.lookup(SalesOrder.self, identifier: "s1", including: \.lines)
        #expect(sale.lines.value?.map(\.count.value) == [8, 1, 1])
        try await store.save(sale, including: \.lines)
        #expect(try await store.count(SalesLine.self) == 3)
    }
}

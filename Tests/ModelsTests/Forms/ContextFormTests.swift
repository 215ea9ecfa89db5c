import ModelKitFields
import ModelKitModels
import Testing

extension ValidationContext {
    fileprivate static let publish: Self = "publish"
    fileprivate static let draft: Self = "draft"
}

private final class Author: Model {
    let name = Field<String>().require(.notBlank.on(.publish))
}

private final class Article: Model {
    let title = Field<String>().require(Rule.required.except(on: .draft))
    let summary = Field<String>().require(.notBlank.on(.publish))
    let author = ModelField<Author>().requireValid()

    func check(_ report: inout ModelReport) {
        guard ValidationContext.publish.isCurrent else { return }
        report.require(summary, "must not be the title") { summary.value != title.value }
    }
}

private struct Post: PartialInitializable, Sendable {
    var title: String?

    init(from partial: Partial<Post>) { title = partial.title ?? nil }
}

struct ContextFormTests {
    private let article = Article()

    @Test func `a model demands more in one context and less in another`() async {
        article.author.value = Author()
        #expect(article.validate() == .invalid(["title is required"]))
        #expect(article.validate(in: .draft) == .valid)
        article.title.value = "On a"
        #expect(article.validate() == .valid)
        #expect(
            article.validate(in: .publish)
                == .invalid(["summary cannot be blank", "author.name cannot be blank"])
        )
        article.summary.value = "On a"
        article.author.value?.name.value = "Ada"
        #expect(
            await article.validated(in: .publish) == .invalid(["summary must not be the title"])
        )
        #expect(article.currentIssues(in: .publish).map(\.path) == [["summary"]])
        #expect(article.currentIssues().isEmpty)
    }

    @Test func `a form knows in which contexts it was validated`() async {
        let form = Form().add(article)
        article.title.value = "On a"
        #expect(form.validate() == .valid)
        #expect(form.validate(in: .publish) == .invalid(["summary cannot be blank"]))
        #expect(form.state == .invalid(["summary cannot be blank"]))
        article.summary.value = "It is"
        #expect(form.state == .unknown)
        article.summary.validate()
        #expect(form.state == .unknown, "what is valid in no context need not be in this one")
        #expect(await form.validated(in: .publish) == .valid)
        #expect(form.state == .valid)
        article.title.validate()
        #expect(form.state == .unknown)
        #expect(form.validate() == .valid)
    }

    @Test func `a submit and its work are in the contexts`() async throws {
        let draft = article.draft()
        let form = Form().add(draft)
        draft.summary.value = "It is"
        await #expect(throws: FormError.self) { try await form.submit { try form.commit() } }
        #expect(article.summary.value == nil)
        try await form.submit(in: .draft) { try form.commit() }
        #expect(article.summary.value == "It is")
        let error = await #expect(throws: FormError.self) {
            try await form.submit(in: .publish) { Testing.Issue.record("the work began") }
        }
        #expect(error?.issues.map(\.description) == ["title is required"])
    }

    @Test func `checks of values are asked in the contexts of the task`() {
        let validation = Partial<Post>.Validation(
            .value(\.title, "title", Rule.required.on(.publish))
        )
        let partial = Partial<Post>()
        #expect(validation.report(on: partial).issues.isEmpty)
        let found = ValidationContext.withCurrent([.publish]) {
            validation.report(on: partial).issues
        }
        #expect(found.map(\.description) == ["title is required"])
    }

    @Test func `a schema is made for contexts`() {
        #expect(
            JSONSchema(Article.self).notRepresented.map(\.path) == [
                ["summary"], [], ["author", "name"],
            ]
        )
        #expect(JSONSchema(Article.self, in: .publish).notRepresented.map(\.path) == [[]])
        let rule = Rule<Int>.min(1).on(.publish) && Rule<Int>.max(9).except(on: .draft)
        #expect(JSONSchema(rule, in: .publish) == JSONSchema(Rule<Int>.min(1) && .max(9)))
        #expect(JSONSchema(rule, in: .draft) == JSONSchema(Rule<Int>.all([])))
        #expect(JSONSchema(rule).document == JSONSchema(Rule<Int>.max(9)).document)
        #expect(JSONSchema(rule).notRepresented.map(\.code) == ["notRepresented"])
    }

    @Test func `observers are told what is found in other contexts`() {
        article.title.value = "On a"
        article.summary.value = "It is"
        let fields = Form(["title": article.title, "summary": article.summary])
        fields.validate()
        let told = Collector<ValidationState>()
        fields.observeState { told.add($0) }
        article.title.validate(in: .publish)
        #expect(fields.state == .unknown)
        #expect(told.values == [.valid, .unknown])
        article.title.validate()
        #expect(fields.state == .valid)
        #expect(told.values == [.valid, .unknown, .valid])
    }

    @Test func `a model inside is validated anew while somebody observes`() {
        let author = Author()
        author.name.value = "Ada"
        article.author.value = author
        let form = Form(["author": article.author])
        form.validate()
        let told = Collector<ValidationState>()
        form.observeState { told.add($0) }
        // What the rule of the field has read is set, so that it is asked again.
        author.name.value = "Grace"
        #expect(form.state == .valid)
        article.author.validate()
        #expect(form.state == .valid)
        #expect(told.values == [.valid])
    }
}

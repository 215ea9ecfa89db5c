import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite struct NestedValidationTests {
    final class Member: Model {
        let name = Field<String>().require(.required)
        let known = ModelField<Member>().requireValid()*
        let left = ModelField<Member>().requireValid()
        let right = ModelField<Member>().requireValid()
    }

    @Test func `models that all know each other are validated`() {
        let members = (0..<12).map { _ in Member() }
        for member in members {
            member.name.value = "x"
            member.known.value = members
        }
        expect(members[0].validate(), equals: .valid)
        members[11].name.value = nil
        let issues = members[0].validationIssues()
        expect(issues.contains { $0.path == ["known", 11, "name"] })
        expect(issues.count < 12 * 12 * 16)
        expect(members[5].known.validationState != .valid)
        expect(members[11].name.validationState, equals: .invalid(["is required"]))
    }

    @Test(arguments: [true, false]) func `a ladder of many ways is validated`(isValid: Bool) {
        let end = Member()
        end.name.value = isValid ? "x" : nil
        var rung = end
        for _ in 0..<30 {
            let next = Member()
            next.name.value = "x"
            next.left.value = rung
            next.right.value = rung
            rung = next
        }
        let issues = rung.validationIssues()
        expect(issues.isEmpty, equals: isValid)
        expect(issues.count <= 30 * 2 * 16, "not doubled at every rung")
        let way = Array(repeating: FieldPath.Component.key("left"), count: 30) + ["name"]
        expect(issues.contains { $0.path.components == way }, equals: !isValid)
        expect((rung.right.validationState == .valid), equals: isValid, "also on the second way")
    }

    @Test func `a long chain is validated to its end`() {
        let models = (0..<1000).map { _ in Member() }
        for (model, next) in zip(models, models.dropFirst()) {
            model.name.value = "x"
            model.left.value = next
        }
        let issues = models[0].validationIssues()
        expect(issues.map(\.path.components.count), equals: [1000])
        expect(issues.first?.code, equals: "required")
        expect(models[0].currentIssues(), equals: issues)
        models[999].name.value = "x"
        expect(models[0].validate(), equals: .valid)
    }

    @Test func `a model in two fields is reported in both`() {
        let (model, inner) = (Member(), Member())
        model.name.value = "x"
        model.left.value = inner
        model.right.value = inner
        expect(
            model.validationIssues().map(\.description),
            equals: ["left.name is required", "right.name is required"]
        )
    }

    @Test func `what a cycle left out is found from outside of it`() {
        // a and b know each other; b is met inside of a first, where a counts as valid.
        let (root, a, b) = (Member(), Member(), Member())
        for model in [root, b] { model.name.value = "x" }
        a.left.value = b
        b.left.value = a
        root.left.value = a
        root.right.value = b
        expect(
            root.validationIssues().map(\.description),
            equals: ["left.name is required", "right.left.name is required"]
        )
    }

    /// Validates another model by its own check.
    final class Half: Model {
        @TaskLocal static var begun: Collector<Task<ValidationState, Never>>?
        let name = Field<String>().require(.required)
        let other = ModelField<Half>()

        func check(_ report: inout ModelReport) {
            report.require(other, "must be valid") {
                other.value.map { $0.validate() == .valid } ?? true
            }
            Self.begun?.add(
                Task {
                    try? await Task.sleep(for: .milliseconds(20))
                    return Half.$begun.withValue(nil) { self.validate() }
                }
            )
        }
    }

    @Test func `checks that validate each other's models end`() {
        let (a, b) = (Half(), Half())
        (a.name.value, b.name.value) = ("a", "b")
        (a.other.value, b.other.value) = (b, a)
        expect(a.validate(), equals: .valid)
        expect(b.validate(), equals: .valid)
        b.name.value = nil
        expect(a.validate(), equals: .invalid(["other must be valid"]))
        expect(b.validate(), equals: .invalid(["name is required"]))
        let alone = Half()
        alone.other.value = alone
        expect(alone.validate(), equals: .invalid(["name is required"]))
        expect(alone.currentIssues().map(\.code), equals: ["required"])
    }

    /// Sets a field of another model between two validations.
    final class Trial: Model {
        let found = Collector<ValidationState>()
        let other = ModelField<Member>()

        func check(_ report: inout ModelReport) {
            guard let other = other.value else { return }
            for name in ["x", nil, "y"] {
                other.name.value = name
                found.add(other.validate())
                found.add(other.name.validationState)
            }
        }
    }

    @Test func `a model that was set since is validated again by the same check`() {
        let trial = Trial()
        trial.other.value = Member()
        trial.validate()
        let missing = ValidationState.invalid(["is required"])
        let incomplete = ValidationState.invalid(["name is required"])
        expect(trial.found.values, equals: [.valid, .valid, incomplete, missing, .valid, .valid])
    }

    @Test func `a task that a check has begun validates for itself`() async {
        let (half, begun) = (Half(), Collector<Task<ValidationState, Never>>())
        Half.$begun.withValue(begun) { _ = half.validate() }
        for task in begun.values {
            await expect(task.value, equals: .invalid(["name is required"]))
        }
        expect(begun.values.count, equals: 1)
    }

    @Test func `what a task that a check has begun finds is kept`() async {
        let (half, begun) = (Half(), Collector<Task<ValidationState, Never>>())
        Half.$begun.withValue(begun) { _ = half.currentIssues() }
        expect(half.name.validationState, equals: .unknown)
        for task in begun.values {
            await expect(task.value, equals: .invalid(["name is required"]))
        }
        expect(half.name.validationState, equals: .invalid(["is required"]))
    }

    /// Begins a task that begins others when its own one is over.
    final class Starter: Model {
        @TaskLocal static var begun: Collector<Task<[ValidationState], Never>>?
        let name = Field<String>().require(.required)

        func check(_ report: inout ModelReport) {
            guard let begun = Self.begun else { return }
            begun.add(
                Task {
                    try? await Task.sleep(for: .milliseconds(50))
                    var states: [ValidationState] = []
                    let tasks = (0..<200).map { _ in
                        Task { Starter.$begun.withValue(nil) { self.validate() } }
                    }
                    for task in tasks { states.append(await task.value) }
                    return states
                }
            )
        }
    }

    @Test func `a task in the place of one that is over validates for itself`() async {
        for _ in 0..<5 {
            let (starter, begun) = (Starter(), Collector<Task<[ValidationState], Never>>())
            await Task.detached {
                Starter.$begun.withValue(begun) { _ = starter.validate() }
            }
            .value
            for task in begun.values {
                await expect(task.value.allSatisfy { $0 == .invalid(["name is required"]) })
            }
        }
    }

    /// Validates others by its own check, on many ways.
    final class Rung: Model {
        @TaskLocal static var checks: Collector<Int>?
        let name = Field<String>().require(.required)
        let left = ModelField<Rung>()
        let right = ModelField<Rung>()

        func check(_ report: inout ModelReport) {
            Self.checks?.add(1)
            for side in [left, right] {
                report.require(side, "must be valid") {
                    side.value.map { $0.validate() == .valid } ?? true
                }
            }
        }
    }

    @Test(arguments: [true, false]) func `a ladder of checks is gone up once`(isValid: Bool) {
        let count = 14
        var rung = Rung()
        rung.name.value = isValid ? "x" : nil
        for _ in 1..<count {
            let next = Rung()
            next.name.value = "x"
            (next.left.value, next.right.value) = (rung, rung)
            rung = next
        }
        let ways: [(Rung) -> Bool] = [
            { $0.validate() == .valid }, { $0.validationIssues().isEmpty },
            { $0.currentIssues().isEmpty },
        ]
        for way in ways {
            let checks = Collector<Int>()
            Rung.$checks.withValue(checks) { expect(way(rung), equals: isValid) }
            expect(checks.values.count, equals: count)
        }
    }

    final class Link: Model {
        let name: Field<String>
        let left = ModelField<Link>().requireValid()
        let right = ModelField<Link>().requireValid()
        let all = ModelField<Link>().requireValid()*

        init() { name = Field() }

        init(_ counts: Collector<Int>) {
            name = Field().require("is bad") { name in
                counts.add(1)
                return name != "bad"
            }
        }
    }

    @Test(arguments: [true, false]) func `models that know each other both ways are validated`(
        isValid: Bool
    ) {
        let counts = Collector<Int>()
        let links = (0..<150).map { _ in Link(counts) }
        for link in links { link.name.value = "good" }
        for (left, right) in zip(links, links.dropFirst()) {
            left.right.value = right
            right.left.value = left
        }
        if !isValid { links[100].name.value = "bad" }
        let root = Link()
        root.all.value = links
        let issues = root.validationIssues()
        expect(issues.isEmpty, equals: isValid)
        expect(issues.contains { $0.path == ["all", 100, "name"] }, equals: !isValid)
        expect(counts.values.count <= links.count * (isValid ? 1 : 17))
        expect(links.allSatisfy { $0.name.validationState != .unknown })
    }

    /// Asks something as it is checked for the first time.
    private final class Asking: Model {
        let name = Field<String>().require(.notBlank)
        let ask = Guarded<(@Sendable () -> Void)?>(nil)

        func check(_ report: inout ModelReport) { ask.withLock { $0.take() }?() }
    }

    @Test func `a thread that goes on for another task is inside of no validation of this one`()
        async throws
    {
        let model = Asking()
        let found = Collector<Int>()
        // More than one stack has room for: the last are read on a thread of their own.
        var last = Computed { model.currentIssues().count }
        for _ in 0..<20_000 {
            let below = last
            last = Computed { below.value }
        }
        let chain = last
        model.ask.withLock {
            $0 = {
                let done = DispatchSemaphore(value: 0)
                Task {
                    found.add(chain.value ?? -1)
                    done.signal()
                }
                done.wait()
            }
        }
        expect(model.validate().isInvalid)
        expect(found.values, equals: [1])
    }
}

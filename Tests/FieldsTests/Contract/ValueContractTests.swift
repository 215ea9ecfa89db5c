import Foundation
import ModelKitFields
import Observation
import TestSupport
import Testing

/// The contract of values, arrays, domains, load states and operators, a test for a sentence.
@Suite(.timeLimit(.minutes(10))) struct ValueContractTests {
    // MARK: - Bindings by closures, and domains

    @Test func `a target that clamps sends the clamped value back`() {
        let source = Field<Int>(value: 0)
        let target = Field<Int>(value: 0).constrain(to: 0...10)
        source <--> target
        source.value = 50
        expect([source.value, target.value], equals: [10, 10])
    }

    @Test func `a transform that throws leaves the other side alone, the edited one is invalid`() {
        struct Refused: Error {}
        let text = Field<String>(value: "1")
        let number = Field<Int>()
        text.bind(
            to: number,
            forward: { text in
                guard let number = text.flatMap({ Int($0) }) else { throw Refused() }
                return number
            },
            backward: { $0.map { "\($0)" } }
        )
        text.value = "x"
        expect(number.value, equals: 1)
        expect(text.issues.map(\.code), equals: ["conversion"])
        expect(number.validationState, equals: .unknown)
        number.value = 2
        expect(text.value, equals: "2")
        expect(text.issues, equals: [])
    }

    @Test func `a direct set is clamped by a range, and becomes nil outside of a list`() {
        let number = Field<Int>().constrain(to: 0...10)
        number.value = 11
        expect(number.value, equals: 10)
        let color = Field<String>().constrain(to: ["red", "green"])
        color.value = "red"
        color.value = "blue"
        expect(color.value, equals: nil)
    }

    @Test func `so does the initial value`() {
        expect(Field<Int>(value: 11).constrain(to: 0...10).value, equals: 10)
        expect(Field<String>(value: "blue").constrain(to: ["red"]).value, equals: nil)
    }

    @Test func `the constraint comes first: observers never see the outsider`() {
        let field = Field<Int>(value: 0).constrain(to: 0...10)
        let log = Log<Step>()
        field.observe(when: .changes) { old, new in log.add(Step(old, new)) }
        field.value = 11
        field.value = 12
        expect(log.entries, equals: [Step(0, 10)])
    }

    // MARK: - Arrays

    @Test func `an array field runs the rules of the field for its elements on each`() {
        let tags = Field<String>().require(.notBlank)*
        tags.value = ["a", " ", "b", ""]
        expect(tags.validate() != .valid)
        expect(tags.issues.map(\.path.description), equals: ["[1]", "[3]"])
        tags.value = ["a"]
        expect(tags.validate(), equals: .valid)
    }

    @Test func `and its domain`() {
        let levels = ArrayField(Field<Int>().constrain(to: 0...10))
        levels.value = [-1, 5, 99]
        expect(levels.value, equals: [0, 5, 10])
        levels.append(11)
        expect(levels.value, equals: [0, 5, 10, 10])
    }

    @Test func `its own name, key and priority are the inner field's, unless it has some`() {
        let inner = Field<String>(name: "Tag", priority: 3, key: "tag")
        let tags = inner*
        expect([tags.name, tags.key?.description], equals: ["Tag", "tag"])
        expect(tags.priority, equals: 3)
        expect(ArrayField(inner, name: "Tags").name, equals: "Tags")
    }

    @Test func `it records its edits, and observers replay the script on a mirror`() {
        let tags = Field<String>()*
        let scripts = Log<[ArrayEdit<String>]>()
        let mirror = Mirror<String>()
        tags.observeEdits { scripts.add($0.edits) }
        tags.observeEdits { mirror.follow($0) }
        tags.append("a")
        tags.append("b")
        tags.move(from: 1, to: 0)
        tags.replace(at: 1, with: "c")
        tags.remove(at: 0)
        expect(
            scripts.entries,
            equals: [
                [.reset([])], [.insert("a", at: 0)], [.insert("b", at: 1)],
                [.move("b", from: 1, to: 0)], [.replace("a", with: "c", at: 1)],
                [.remove("b", at: 0)],
            ]
        )
        expect(mirror.elements, equals: ["c"])
        expect(mirror.faults, equals: [])
    }

    @Test func `it looks for differences only where the whole array is set`() {
        let tags = ArrayField(Field<String>(), value: ["a", "b", "c"])
        let scripts = Log<[ArrayEdit<String>]>()
        tags.observeEdits { scripts.add($0.edits) }
        tags.value = ["a", "c"]
        expect(scripts.entries.last, equals: [.remove("b", at: 1)])
    }

    @MainActor
    @Test func `on the main thread scripts are joined, never dropped`() async {
        let tags = Field<String>()*
        let mirror = Mirror<String>()
        let count = Counter()
        tags.onMain.observeEdits { change in
            count.increment()
            mirror.follow(change)
        }
        startThread { for number in 0..<50 { tags.append("\(number)") } }()
        expect(mirror.elements, equals: [])
        while mirror.elements.count < 50 { await Task.yield() }
        expect(mirror.faults, equals: [])
        expect(count.value, equals: 2, "a reset, and fifty insertions at once")
    }

    // MARK: - Load state and merging

    @Test func `a default value is not loaded, a set is`() {
        let field = Field<Int>(value: 1)
        expect(field.loadState, equals: .notLoaded)
        field.value = 1
        expect(field.loadState, equals: .loaded)
        for state in [LoadState.loading, .incomplete, .error, .notLoaded] {
            field.loadState = state
            expect(field.loadState, equals: state)
        }
    }

    @Test func `merging takes the newer value and its time, under a revision of its own`() {
        let (mine, other) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let bound = Field<Int>()
        mine --> bound
        mine.value = 1
        other.value = 2
        // Newer than both, had times decided.
        bound.value = 3
        expect(mine.merge(from: other))
        expect(mine.updatedAt, equals: other.updatedAt)
        expect([mine.value, bound.value], equals: [2, 2])
    }

    @Test func `on a tie the receiver stays`() {
        let date = Date(timeIntervalSinceReferenceDate: 1000)
        let (mine, other) = (Field<Int>(), Field<Int>())
        FieldClock.withCurrent(FieldClock { date }) { mine.value = 1 }
        other.merge(from: mine)
        expect(other.updatedAt, equals: mine.updatedAt)
        expect(!mine.merge(from: other))
        expect(!other.isNewer(than: mine))
        expect(mine.value, equals: 1)
    }

    // MARK: - Bad input

    @Test func `a value of a wrong type is an issue and leaves the old one`() {
        let fields: [(AnyField, Any)] = [
            (Field<Int>(value: 1), "2"), (Field<String>(value: "a"), 1),
            (Field<Int>()*, ["a"]), (Field<Date>(), "2026-01-01"),
        ]
        for (field, value) in fields {
            let before = String(describing: field.anyValue)
            let issue = #expect(throws: Issue.self) { try field.setAnyValue(value) }
            expect(issue?.code, equals: "type")
            expect(String(describing: field.anyValue), equals: before)
            expect(field.updatedAt, equals: nil)
        }
    }

    @Test func `a number out of range is an issue, and so is a text that is none`() {
        let issues = [AttributeValue.int(300), .double(1.5), .string("x"), .null].map { value in
            #expect(throws: Issue.self) { try UInt8(attributeValue: value) }
        }
        expect(issues[0]?.message, equals: "300 is out of the range of UInt8")
        expect(issues.allSatisfy { $0?.message.isEmpty == false })
    }

    // MARK: - Sequences and Observation

    @Test func `values begin with the present one, changes with the next`() async {
        let field = Field<Int>(value: 1)
        var values = field.values.makeAsyncIterator()
        var changes = field.changes.makeAsyncIterator()
        await expect(values.next(), equals: 1)
        field.value = 1
        field.value = 2
        let change = await changes.next()
        expect([change?.old, change?.new], equals: [1, 2])
        await expect(values.next(), equals: 2)
    }

    @Test func `Observation is notified after the commit, of what was read as observed`() {
        let field = Field<Int>(value: 1)
        let log = Log<Int?>()
        withObservationTracking {
            _ = field.observed
        } onChange: {
            log.add(field.value)
        }
        field.value = 2
        expect(log.entries, equals: [2])
    }

    // MARK: - Operators

    @Test func `arrows bind looser than a ternary and tighter than an assignment`() {
        let (left, right) = (Field<Int>(value: 1), Field<Int>(value: 2))
        let target = Field<Int>()
        let isLeft = target.value != nil
        isLeft ? left : right --> target
        expect(target.value, equals: 2)
        left.value = 5
        expect(target.value, equals: 2)
        var token: Observation?
        token = right --> { _ in }
        let chosen: Field<Int>
        chosen = target <-- isLeft ? right : left
        expect(chosen === left)
        expect(target.value, equals: 5)
        right -/-> isLeft ? left : target
        token?.cancel()
        expect(right.observerCount, equals: 0)
    }

    @Test func `arrows are read from the left`() {
        let fields = (0..<4).map { Field<Int>(value: $0) }
        fields[0] --> fields[1] --> fields[2]
        expect(fields[0].observerCount, equals: 1)
        expect(fields[1].observerCount, equals: 1)
        // (fields[2] <-- fields[3]) is the source, which goes on to the first.
        fields[2] <-- fields[3] --> fields[0]
        expect(fields.map(\.value), equals: [3, 3, 3, 3])
    }
}

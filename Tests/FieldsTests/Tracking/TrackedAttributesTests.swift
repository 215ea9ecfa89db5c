import Foundation
import ModelKitFields
import Observation
import TestSupport
import Testing

/// What a field knows beside its value, read by those who follow it.
@Suite(.timeLimit(.minutes(10))) struct TrackedAttributesTests {
    /// What is read, and what makes it another.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let read: @Sendable (Field<Int>) -> String
        let change: @Sendable (Field<Int>) throws -> Void
    }

    static let cases = [
        Case(testDescription: "updatedAt, first set", read: { "\($0.updatedAt != nil)" }) {
            $0.value = 1
        },
        Case(testDescription: "updatedAt, equal value", read: Self.updated) { $0.value = $0.value },
        Case(testDescription: "updatedAt, touched", read: Self.updated) { $0.touch() },
        Case(testDescription: "updatedAt, restored", read: Self.updated) {
            let draft = $0.copy()
            draft.value = 8
            _ = $0.merge(from: draft)
        },
        Case(testDescription: "updatedAt, bound", read: Self.updated) { field in
            let source = Field<Int>(value: 4)
            source --> field
            source.value = 4
        },
        Case(testDescription: "updatedAt, in a batch", read: Self.updated) { field in
            batch { field.value = field.value }
        },
        Case(testDescription: "changedAt", read: { "\($0.changedAt?.timeIntervalSince1970 ?? 0)" })
        {
            $0.value = 77
        },
        Case(testDescription: "loadState, set", read: { "\($0.loadState)" }) {
            $0.loadState = .loading
        },
        Case(testDescription: "loadState, by an equal value", read: { "\($0.loadState)" }) {
            $0.loadState = .incomplete
            $0.value = $0.value
        },
        Case(testDescription: "isEditing", read: { "\($0.isEditing)" }) { $0.beginEditing() },
        Case(testDescription: "isNewer", read: { "\($0.isNewer(than: Self.reference))" }) {
            $0.value = $0.value
        },
        Case(testDescription: "isNewer, the other", read: { "\(Self.other.isNewer(than: $0))" }) {
            if $0.value != nil { Self.other.value = 1 }
        },
    ]

    private static let reference = Field<Int>(value: 0)
    private static let other = Field<Int>(value: 0)

    private static func updated(_ field: Field<Int>) -> String {
        "\(field.updatedAt?.timeIntervalSince1970 ?? 0)"
    }

    @Test(arguments: cases, [false, true])
    func `a computed field follows`(_ row: Case, isObserved: Bool) throws {
        let field = Field<Int>(value: 3)
        if row.testDescription != "updatedAt, first set" { field.value = 3 }
        let computed = Computed { row.read(field) }
        let log = Log<String?>()
        if isObserved { computed --> { log.add($0) } }
        expect(computed.value, equals: row.read(field))
        for _ in 0..<2 {
            try row.change(field)
            expect(computed.value, equals: row.read(field))
        }
        if isObserved { expect(log.entries.last, equals: row.read(field)) }
    }

    @Test func `editing and loading are followed to their end, by bound fields, too`() {
        let field = Field<Int>(value: 1)
        let isEditing = Field<Bool>(), label = Field<String>()
        Computed { field.isEditing } --> isEditing
        Computed { field.loadState == .loading ? "loading …" : "" } --> label
        field.beginEditing()
        field.beginEditing()
        field.endEditing()
        expect(isEditing.value, equals: true)
        field.endEditing()
        expect(isEditing.value, equals: false)
        field.loadState = .loading
        expect(label.value, equals: "loading …")
        batch {
            field.value = 1
            field.loadState = .loading
            field.value = 1
        }
        expect(label.value, equals: "")
    }

    @Test func `what is untracked, or is not read, has nothing run again`() {
        let runs = Counter()
        let field = Field<Int>(value: 1)
        let computed = Computed { () -> Int? in
            runs.increment()
            untracked { _ = (field.updatedAt, field.loadState, field.isEditing) }
            return field.value
        }
        computed --> { (_: Int?) in }
        field.value = 1
        field.loadState = .loading
        field.beginEditing()
        expect(runs.value, equals: 1)
        field.value = 2
        expect(runs.value, equals: 2)
    }

    @Test func `subclasses are followed, too`() {
        enum Size: String, CaseIterable { case small, large }
        let size = EnumField<Size>(value: .small), tags = ArrayField(Field<String>(), value: ["a"])
        let fields: [AnyField] = [size, tags]
        let edited = Computed { fields.filter { $0.updatedAt != nil }.count }
        expect(edited.value, equals: 0)
        tags.append("b")
        expect(edited.value, equals: 1)
        size.value = .small
        expect(edited.value, equals: 2)
    }
}

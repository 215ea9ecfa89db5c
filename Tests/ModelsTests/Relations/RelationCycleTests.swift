import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

private final class Station: Model {
    let id = Field<String>()
    let next = ModelField<Station>()
    let others = ModelField<Station>()*
    let stops = ModelField<Stop>(cascadeDelete: true)*
    let main = ModelField<Stop>(cascadeDelete: true)
    let owned = ModelField<Stop>(inverse: \.station, cascadeDelete: true)*
    let key = ModelField<Station>(foreignKey: true)
    let keys = ModelField<Station>(foreignKey: true)*

    init() { linkFields() }
}

private final class Stop: Model {
    let id = Field<String>()
    let station = ModelField<Station>()
    init() { linkFields() }
}

/// When the models of relations are freed: with the last reference from outside, or, where they have each
/// other, once that is ended.
@Suite struct RelationCycleTests {
    enum Kind: CaseIterable {
        case cascade, cascadeOne, shell, shells, row
        case cascadeWithInverse, itself, itselfInArray, two, three, threeInArrays, threeKeys

        var isCycle: Bool {
            switch self {
            case .cascade, .cascadeOne, .shell, .shells, .row: false
            default: true
            }
        }

        /// Makes models that have each other, and gives what ends that.
        func connect() throws -> (models: [any Model], end: () -> Void) {
            let (one, two, three) = (Station(), Station(), Station())
            let (left, right) = (Stop(), Stop())
            switch self {
            case .cascade:
                one.stops.value = [left, right]
                return ([one, left, right], {})
            case .cascadeOne:
                one.main.value = left
                return ([one, left], {})
            case .shell:
                try one.read(dictionaryValue: ["key": "a"])
                return ([one] + [one.key.value].compactMap(\.self), {})
            case .shells:
                try one.read(dictionaryValue: ["keys": ["a", "b"]])
                return ([one] + (one.keys.value ?? []), {})
            case .row:
                one.next.value = two
                two.next.value = three
                return ([one, two, three], {})
            case .cascadeWithInverse:
                one.owned.value = [left, right]
                return ([one, left, right], { [weak one] in one?.unlink() })
            case .itself:
                one.next.value = one
                return ([one], { [weak one] in one?.next.value = nil })
            case .itselfInArray:
                one.others.value = [one]
                return ([one], { [weak one] in one?.others.removeAll() })
            case .two:
                one.next.value = two
                two.next.value = one
                return ([one, two], { [weak two] in two?.next.value = nil })
            case .three:
                one.next.value = two
                two.next.value = three
                three.next.value = one
                return ([one, two, three], { [weak two] in two?.next.value = nil })
            case .threeInArrays:
                one.others.value = [two]
                two.others.value = [three]
                three.others.value = [one]
                return ([one, two, three], { [weak one] in one?.unload() })
            case .threeKeys:
                one.key.value = two
                two.key.value = three
                three.key.value = one
                return ([one, two, three], { [weak three] in three?.key.value = nil })
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `models are freed with the last reference, those of a cycle once it is opened`(
        kind: Kind
    ) throws {
        var gone: [() -> Bool] = []
        var end = {}
        do {
            let (models, opened) = try kind.connect()
            expect(models.count > (kind == .itself || kind == .itselfInArray ? 0 : 1))
            gone = models.map { model in { [weak model] in model == nil } }
            end = opened
            // What looks at all of them keeps nothing.
            _ = models[0].dictionaryValue()
            models[0].validate()
            models[0].visitAllFields { _ in }
            _ = models[0].cascade()
            models[0].observe("**") { _ in }
        }
        expect(gone.allSatisfy { $0() != kind.isCycle })
        end()
        expect(gone.allSatisfy { $0() })
    }

    @Test func `a copy of a cycle is another one, which is freed like it`() {
        weak var copied: Station?
        do {
            let (one, two) = (Station(), Station())
            one.next.value = two
            two.next.value = one
            let copy = one.copy()
            copied = copy
            expect(copy.next.value?.next.value === copy)
            copy.next.value = nil
            two.next.value = nil
        }
        expect(copied, equals: nil)
    }
}

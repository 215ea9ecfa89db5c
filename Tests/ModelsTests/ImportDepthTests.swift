import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// What an import does where values are deep inside of each other.
@Suite struct ImportDepthTests {
    enum Way: CaseIterable {
        case field, array, nestedKey

        /// What leads from a model to the one in it.
        var path: FieldPath {
            switch self {
            case .field: ["child"]
            case .array: ["children", 0]
            case .nestedKey: ["inner", "child"]
            }
        }

        private func wrap(_ inner: AttributeDictionary) -> AttributeDictionary {
            switch self {
            case .field: ["child": .dictionary(inner)]
            case .array: ["children": [.dictionary(inner)]]
            case .nestedKey: ["inner": ["child": .dictionary(inner)]]
            }
        }

        private func unwrap(_ outer: AttributeDictionary) -> AttributeDictionary? {
            var rest = AttributeValue.dictionary(outer)
            for component in path.components {
                switch (component, rest) {
                case (.key(let key), .dictionary(let members)):
                    guard let member = members[key] else { return nil }
                    rest = member
                case (.index, .array(let elements)): rest = elements[0]
                default: return nil
                }
            }
            if case .dictionary(let inner) = rest { return inner }
            return nil
        }

        /// Runs a closure with the dictionary of a model inside of so many others, which is taken apart
        /// then: released as a whole, it would need as deep a stack.
        func withDictionary(inside count: Int, _ body: (AttributeDictionary) -> Void) {
            var dictionary: AttributeDictionary = ["name": "core"]
            for _ in 0..<count { dictionary = wrap(dictionary) }
            body(dictionary)
            while let inner = unwrap(dictionary) { dictionary = inner }
        }
    }

    final class Box: Model {
        let name = Field<String>()
        let child = ModelField<Box>()
        let children = ModelField<Box>()*
        let inner = ModelField<Box>(key: ["inner", "child"])

        /// The model inside of so many, and how many those are.
        var innermost: (box: Box, count: Int) {
            var (box, count) = (self, 0)
            while let next = box.child.value ?? box.children[0] ?? box.inner.value {
                (box, count) = (next, count + 1)
            }
            return (box, count)
        }

        /// Takes apart what is inside, one after the other.
        func empty() {
            var box: Box? = self
            while let next = box {
                box = next.child.value ?? next.children[0] ?? next.inner.value
                (next.child.value, next.inner.value, next.children.value) = (nil, nil, nil)
            }
        }
    }

    @Test(arguments: Way.allCases, [512])
    func `a model inside of as many as are written is read, on a small stack`(
        way: Way,
        count: Int
    ) {
        let found = Collector<Int>()
        onSmallStack {
            way.withDictionary(inside: count) { dictionary in
                guard let box = try? Box(dictionaryValue: dictionary) else { return }
                let innermost = box.innermost
                if innermost.box.name.value == "core" { found.add(innermost.count) }
                box.empty()
            }
        }
        expect(found.values, equals: [count])
    }

    @Test(arguments: Way.allCases, [513, 100_000])
    func `a model inside of more is refused with its path, on a small stack`(
        way: Way,
        count: Int
    ) {
        let errors = Collector<ImportError>()
        onSmallStack {
            way.withDictionary(inside: count) { dictionary in
                do throws(ImportError) {
                    _ = try Box(dictionaryValue: dictionary)
                } catch {
                    errors.add(error)
                }
            }
        }
        let path = FieldPath((0..<513).flatMap { _ in way.path.components })
        let issue = ModelKitFields.Issue(
            code: "depth",
            path: path,
            message: "is inside of more than 512 models"
        )
        expect(errors.values, equals: [ImportError(issues: [issue])])
    }

    @Test func `a lenient import leaves out what is in too deep a model`() throws {
        let report = ImportReport()
        Way.field.withDictionary(inside: 1_000) { dictionary in
            let box = try? Box(dictionaryValue: dictionary, policy: .skipInvalid(report))
            expect(box?.innermost.count, equals: 513)
            expect(box?.innermost.box.name.value, equals: nil)
            box?.empty()
        }
        expect(report.issues.map(\.code), equals: ["depth"])
    }

    @Test(arguments: Way.allCases)
    func `what is written of a chain without end is read again`(way: Way) throws {
        let boxes = (0..<600).map { _ in Box() }
        for (box, next) in zip(boxes, boxes.dropFirst()) {
            switch way {
            case .field: box.child.value = next
            case .array: box.children.value = [next]
            case .nestedKey: box.inner.value = next
            }
        }
        let dictionary = ModelKitDiagnostics.withHandler({ _ in }) { boxes[0].dictionaryValue() }
        let copy = try Box(dictionaryValue: dictionary)
        expect(copy.innermost.count, equals: 512)
        copy.empty()
        boxes[0].empty()
    }

    /// Builds a value inside of so many arrays or dictionaries, and takes it apart after a closure.
    private static func withAny(
        inside count: Int,
        _ wrap: (Any) -> Any,
        _ body: (Any) -> Void
    ) {
        var value: Any = 1
        for _ in 0..<count { value = wrap(value) }
        body(value)
        while true {
            if let elements = value as? [Any], let first = elements.first {
                value = first
            } else if let members = value as? [String: Any], let first = members["a"] {
                value = first
            } else {
                return
            }
        }
    }

    @Test(arguments: [true, false], [512, 513, 100_000])
    func `a value from elsewhere has no more levels than JSON, on a small stack`(
        isArray: Bool,
        count: Int
    ) {
        let results = Collector<Result<Int, ModelKitFields.Issue>>()
        onSmallStack {
            Self.withAny(inside: count, { isArray ? [$0] as [Any] as Any : ["a": $0] }) { value in
                results.add(
                    Result { () throws(ModelKitFields.Issue) in
                        var (rest, depth) = (try AttributeValue(any: value), 0)
                        while true {
                            switch rest {
                            case .array(let elements): rest = elements[0]
                            case .dictionary(let members): rest = members["a"] ?? .null
                            default: return depth
                            }
                            depth += 1
                        }
                    }
                )
            }
        }
        let step: FieldPath = isArray ? [0] : ["a"]
        let issue = ModelKitFields.Issue(
            code: "depth",
            path: FieldPath((0..<513).flatMap { _ in step.components }),
            message: "is nested deeper than 512 levels"
        )
        expect(results.values, equals: [count == 512 ? .success(512) : .failure(issue)])
    }
}

/// Makes a program of a JSON Schema, and notes what is wrong with it.
struct SchemaCompiler {
    let document: AttributeValue
    let formats: JSONSchema.FormatUse
    private(set) var program = SchemaProgram()
    private(set) var issues: [Issue] = []
    /// The numbers of the schemas that are known, by their places in the document.
    private var numbers: [FieldPath: Int] = [:]
    /// The place of each schema.
    private var places: [FieldPath] = []
    /// The schemas that each asks about the same value.
    private var beside: [[Int]] = []
    /// Those that are known, but not made yet.
    private var waiting: [(number: Int, value: AttributeValue)] = []
    /// The schema that is read: its number, its members and what was made of them.
    private var current = 0
    private(set) var members: AttributeDictionary = [:]
    var keywords: [SchemaKeyword] = []

    init(_ document: AttributeValue, _ formats: JSONSchema.FormatUse) {
        self.document = document
        self.formats = formats
    }

    mutating func compile() throws(JSONSchemaError) -> SchemaProgram {
        _ = schema(document, at: [])
        // A list of work, so that the depth of the document is not that of the stack.
        while let (number, value) = waiting.popLast() {
            (current, keywords) = (number, [])
            read(value)
            program.schemas[number] = keywords
        }
        refuseLoops()
        if !issues.isEmpty {
            issues.sort { $0.path.jsonPointer < $1.path.jsonPointer }
            throw JSONSchemaError(issues: issues)
        }
        return program
    }

    private mutating func read(_ value: AttributeValue) {
        switch value {
        case .bool(true): break
        case .bool(false): keywords = [.nothing]
        case .dictionary(let members):
            self.members = members
            readKeywords()
        default: refuse("schema", "must be an object, true or false", at: path)
        }
    }

    /// The place of the schema that is read.
    var path: FieldPath { places[current] }

    func place(_ keyword: String) -> FieldPath { path.appending(key: keyword) }

    /// The number of the schema at a place.
    ///
    /// `isOfSameValue` says whether the schema that is read asks it about the same value, not about a part of it: such
    /// schemas must not refer to each other in a circle.
    mutating func schema(
        _ value: AttributeValue,
        at path: FieldPath,
        isOfSameValue: Bool = false
    ) -> Int {
        let number = numbers[path] ?? add(value, at: path)
        if isOfSameValue { beside[current].append(number) }
        return number
    }

    private mutating func add(_ value: AttributeValue, at path: FieldPath) -> Int {
        let number = places.count
        numbers[path] = number
        places.append(path)
        beside.append([])
        program.schemas.append([])
        waiting.append((number, value))
        return number
    }

    mutating func refuse(_ code: String, _ message: String, at path: FieldPath) {
        issues.append(Issue(code: code, path: path, message: message))
    }

    /// Refuses schemas that ask themselves about the same value: it would never end.
    private mutating func refuseLoops() {
        // 0: not seen, 1: on the way, 2: seen.
        var states = places.map { _ in 0 }
        for root in places.indices where states[root] == 0 {
            var way = [(number: root, next: 0)]
            states[root] = 1
            while let last = way.last {
                guard last.next < beside[last.number].count else {
                    states[last.number] = 2
                    way.removeLast()
                    continue
                }
                way[way.count - 1].next += 1
                let number = beside[last.number][last.next]
                if states[number] == 1 {
                    let message = "asks itself about the same value, without an end"
                    refuse("reference", message, at: places[number])
                } else if states[number] == 0 {
                    states[number] = 1
                    way.append((number, 0))
                }
            }
        }
    }
}

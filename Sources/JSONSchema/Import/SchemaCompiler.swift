import ModelKitValues

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

    init(_ document: AttributeValue, _ formats: JSONSchema.FormatUse) {
        self.document = document
        self.formats = formats
    }

    mutating func compile() throws(JSONSchemaError) -> SchemaProgram {
        _ = schema(document, at: [])
        // A list of work, so that the depth of the document is not that of the stack.
        while let (number, value) = waiting.popLast() {
            var reader = SchemaReader(value, at: places[number], number: number)
            program.schemas[number] = read(&reader)
        }
        refuseLoops()
        if !issues.isEmpty {
            issues.sort { $0.path.jsonPointer < $1.path.jsonPointer }
            throw JSONSchemaError(issues: issues)
        }
        return program
    }

    /// The number of the schema at a place, which the schema `other` asks about the value that it is asked about.
    mutating func schema(
        _ value: AttributeValue,
        at path: FieldPath,
        besideOf other: Int? = nil
    ) -> Int {
        let number = numbers[path] ?? add(value, at: path)
        if let other { beside[other].append(number) }
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

/// A schema that is read.
struct SchemaReader {
    let value: AttributeValue
    let path: FieldPath
    let number: Int
    var keywords: [SchemaKeyword] = []

    init(_ value: AttributeValue, at path: FieldPath, number: Int) {
        self.value = value
        self.path = path
        self.number = number
    }

    var members: AttributeDictionary {
        if case .dictionary(let members) = value { members } else { [:] }
    }

    func place(_ keyword: String) -> FieldPath { path.appending(key: keyword) }
}

import ModelKitValues

/// A JSON Schema as it is checked: schemas that refer to one another by their numbers, as those of a
/// document can be inside of themselves.
struct SchemaProgram: Sendable {
    /// The schemas, that of the document first.
    var schemas: [[SchemaKeyword]] = []
}

/// What a schema demands, the keywords that go together as one.
enum SchemaKeyword: Sendable {
    /// Accepts nothing.
    case nothing
    case types([SchemaType])
    /// One of the values; of `const` there is only one.
    case values([AttributeValue], isConstant: Bool)
    /// A bound of numbers: the code of its issue, and on which side of it they may be.
    case bound(AttributeValue, SchemaBound)
    case multiple(AttributeValue)
    case text(Rule<String>)
    case count(Rule<[AttributeValue]>)
    case unique
    /// Schemas for the first elements, and one for those after them.
    case elements(first: [Int], rest: Int?)
    case contains(Int, min: Int, max: Int?)
    case memberCount(Rule<AttributeDictionary>)
    case required([String])
    /// Names that are required where another is there.
    case dependent([(name: String, required: [String])])
    case members(SchemaMembers)
    case names(Int)
    case all([Int])
    case any([Int])
    case one([Int])
    case not(Int)
    case condition(Int, then: Int?, otherwise: Int?)
    /// Schemas for objects that have a member.
    case dependentSchemas([(name: String, schema: Int)])
}

/// What is said of the members of objects.
struct SchemaMembers: Sendable {
    /// By their names, sorted.
    var named: [(name: String, schema: Int)] = []
    var matching: [(pattern: Pattern, schema: Int)] = []
    /// The rest.
    var others: Int?
}

/// A side of a bound.
enum SchemaBound: String, Sendable {
    case minimum, maximum, exclusiveMinimum, exclusiveMaximum

    func accepts(_ order: NumberOrder?) -> Bool {
        switch self {
        case .minimum: order == .same || order == .greater
        case .maximum: order == .same || order == .less
        case .exclusiveMinimum: order == .greater
        case .exclusiveMaximum: order == .less
        }
    }

    func issue(_ bound: AttributeValue) -> Issue {
        switch self {
        case .minimum: Issue("min", "must be greater than or equal to", bound, as: "min")
        case .maximum: Issue("max", "must be less than or equal to", bound, as: "max")
        case .exclusiveMinimum: Issue("greaterThan", "must be greater than", bound, as: "min")
        case .exclusiveMaximum: Issue("lessThan", "must be less than", bound, as: "max")
        }
    }
}

/// A type of JSON.
enum SchemaType: String, Sendable {
    case null, boolean, integer, number, string, array, object

    func has(_ value: AttributeValue) -> Bool {
        switch (self, value) {
        case (.null, .null), (.boolean, .bool), (.integer, .int), (.number, .int),
            (.number, .double), (.array, .array), (.object, .dictionary):
            true
        case (.integer, .double(let number)): number.isFinite && number == number.rounded()
        case (.string, .string), (.string, .date), (.string, .data): true
        default: false
        }
    }

    /// As error messages call it.
    var phrase: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "a dictionary"
        }
    }
}

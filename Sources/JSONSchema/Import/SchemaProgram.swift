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
    /// A bound of numbers, and its side.
    case bound(AttributeValue, BoundSide)
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

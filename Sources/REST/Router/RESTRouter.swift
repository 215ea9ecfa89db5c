public import ModelKitModels

/// Where models are in a REST interface: the paths of collections and of single models.
///
/// ```swift
/// let router = RESTRouter()
/// router.collectionPath(for: Person.self)      // "/people"
/// try router.instancePath(for: person)         // "/people/7"
/// try router.instancePath(for: employee)       // "/companies/10/employees/45"
/// ```
///
/// A collection is called like its type (`Model.modelName`), in the plural and in small letters with
/// underscores, unless it was given another path:
///
/// ```swift
/// var router = RESTRouter()
/// router.route(Person.self, to: "staff/members")
/// router.collectionPath(for: Person.self)      // "/staff/members"
/// router.unroute(Person.self)
/// router.nameCase = .kebab
/// router.collectionPath(for: NewsItem.self)    // "/news-items"
/// ```
///
/// | of the last word | examples of plurals |
/// |---|---|
/// | consonant and `y` | `city` → `cities` |
/// | `ss`, `us`, `is`, `x`, `z`, `ch`, `sh` | `address` → `addresses`, `box` → `boxes` |
/// | `sis`, `xis` | `analysis` → `analyses` |
/// | any other `s`: a plural already | `settings` → `settings` |
/// | irregular, also at the end of a word | `person` → `people`, `grandchild` → `grandchildren` |
/// | irregular | `index` → `indices`, `leaf` → `leaves`, `hero` → `heroes`, `criterion` → `criteria` |
/// | uncountable | `equipment`, `news`, `series`, `sheep`, `data`, `staff` |
/// | all others | `photo` → `photos`, `day` → `days` |
///
/// A model with a ``ModelKit/HasOwnerField`` whose owner has an identifier stands in the owner's path, up to
/// ``maxPathDepth`` owners. The segment is the key of the owner's field that is the inverse, or the
/// path of the collection if there is none.
///
/// Identifiers and names are percent-encoded, each as one segment, so `a/b` is `/people/a%2Fb`. The
/// identifiers `.` and `..` become `%2E` and `%2E%2E`: `URLSession` sends these as they are, where it
/// would take `..` and the segment before it away. A proxy may still do so (RFC 3986, 6.2.2.3),
/// so an interface that is behind one had better have no such identifiers. An empty identifier has
/// no path, but is a ``RouteError``.
///
/// A router is a value: to change a copy changes no other, and threads may share one. To find what a path
/// leads to, make a ``RouteTable``.
public struct RESTRouter: Sendable {
    /// What comes before every path, such as `api/v1`.
    public var prefix = "" { didSet { plans = RoutePlans() } }
    /// How many owners a path may have.
    public var maxPathDepth: Int
    /// How the words of names are written, those of types and of fields; not those that a type was
    /// routed to.
    public var nameCase = KeyCase.snake { didSet { plans = RoutePlans() } }
    /// Whether the name of a type is put in the plural.
    public var pluralizesCollections = true { didSet { plans = RoutePlans() } }
    /// What the paths of collections and of models end with, not percent-encoded: as Firebase and some
    /// interfaces of Rails want it, `.json`.
    ///
    /// ```swift
    /// router.suffix = ".json"
    /// try router.instancePath(for: person)      // "/people/7.json"
    /// router.collectionPath(for: Person.self)   // "/people.json"
    /// ```
    ///
    /// To a server it is a part of the path, without which that leads nowhere, so an identifier may end with it,
    /// too. Batches of writes have none.
    public var suffix = ""
    /// Whether paths end with a slash, as Django wants it; after the suffix.
    public var hasTrailingSlash = false

    private(set) var rules: [ModelSchema: Rule] = [:] { didSet { plans = RoutePlans() } }
    /// What follows from all that; new with every change, so that a copy has its own.
    private(set) var plans = RoutePlans()

    /// What was said of a type.
    struct Rule: Sendable {
        var path: String?
        var isSingleton = false
        var identifierKey: FieldKey?
    }

    /// - Parameter maxPathDepth: How many owners a path may have.
    public init(maxPathDepth: Int = 1) {
        self.maxPathDepth = maxPathDepth
    }

    /// Gives the models of a type a path.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - path: The path, not percent-encoded; of several segments if it has slashes.
    public mutating func route(_ type: any Model.Type, to path: String) {
        rules[type.schema, default: Rule()].path = path
        rules[type.schema]?.isSingleton = false
    }

    /// Gives the only model of a type a path, in which it needs no identifier.
    ///
    /// ```swift
    /// var router = RESTRouter()
    /// router.route(Profile.self, toSingleton: "me")
    /// try router.instancePath(for: profile)   // "/me"
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type; one with an owner has one model for each owner.
    ///   - path: The path, not percent-encoded; of several segments if it has slashes.
    public mutating func route(_ type: any Model.Type, toSingleton path: String) {
        rules[type.schema, default: Rule()].path = path
        rules[type.schema]?.isSingleton = true
    }

    /// Takes back what was said of a type's paths.
    public mutating func unroute(_ type: any Model.Type) {
        rules[type.schema] = nil
    }

    /// Has a field stand for the identifier in paths.
    ///
    /// ```swift
    /// var router = RESTRouter()
    /// router.identify(Article.self, by: "slug")
    /// try router.instancePath(for: article)   // "/articles/how-to-begin"
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - key: The key of the field, whose values are texts or integers and belong to one model each, as
    ///     those of a `unique()` field do; nil for the identifier.
    public mutating func identify(_ type: any Model.Type, by key: FieldKey?) {
        rules[type.schema, default: Rule()].identifierKey = key
    }

    /// The field that stands for the identifier in the paths of a type; nil for the identifier.
    public func identifierKey(of schema: ModelSchema) -> FieldKey? {
        rules[schema]?.identifierKey
    }

    /// Whether a type has one model only, of each owner if it has one.
    public func isSingleton(_ schema: ModelSchema) -> Bool { rules[schema]?.isSingleton ?? false }
}

/// Something that went wrong where no error can be thrown: a loop that was cut, a lost error.
///
/// Each is written to standard error as one line, unless a handler takes it:
///
/// ```swift
/// ModelKitDiagnostics.handler = { diagnostic in logger.warning("\(diagnostic)") }
/// ```
public struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
    /// What happened, as a stable name.
    ///
    /// ```swift
    /// if diagnostic.code == .mergedChanges { metrics.increment() }
    /// ```
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A field's observers set the field again and again; its changes are no longer delivered.
        public static let endlessDelivery = Code(rawValue: "endlessDelivery")
        /// More changes waited for a field's observers than it keeps; they were merged into one.
        public static let mergedChanges = Code(rawValue: "mergedChanges")
        /// A field was bound to itself, which does nothing.
        public static let selfBinding = Code(rawValue: "selfBinding")
        /// A computed field reads itself, or feeds a field that it reads.
        public static let computedCycle = Code(rawValue: "computedCycle")
        /// Bound fields have domains without a common value; each keeps its own value.
        public static let disjointDomains = Code(rawValue: "disjointDomains")
        /// A validator was made of a regular expression that is refused; it finds no text valid.
        public static let refusedPattern = Code(rawValue: "refusedPattern")
        /// A promise was rejected and nobody was there to see the error.
        public static let unhandledError = Code(rawValue: "unhandledError")
        /// A value was asked for or set at a path that leads to no field, or to one of another type.
        public static let refusedPath = Code(rawValue: "refusedPath")
        /// Models were so deep inside of each other that the deepest were written as their identifiers.
        public static let deepModels = Code(rawValue: "deepModels")
        /// The encoder of a value's own type refused it; it was written as null.
        public static let unencodedValue = Code(rawValue: "unencodedValue")
        /// A relation was used as if it was loaded, or set as a whole while it was not.
        public static let relationNotLoaded = Code(rawValue: "relationNotLoaded")
        /// A model was written whose relation has models that are in no store.
        public static let unsavedMembers = Code(rawValue: "unsavedMembers")
        /// A model was written with a key to one that was never stored, so that the key is null.
        public static let unsavedKey = Code(rawValue: "unsavedKey")
        /// A file has models in the column of a relation that is the other side of a key by now, which is
        /// not read any more, and nowhere else.
        public static let oldColumn = Code(rawValue: "oldColumn")
        /// A model type is not declared as models are; its fields were taken as far as they could.
        public static let modelDeclaration = Code(rawValue: "modelDeclaration")
    }

    public var code: Code
    /// A sentence for the developer.
    public var message: String
    /// The field it is about, by its key or name.
    public var field: String?
    /// The file that caused it, as `#fileID` gives it; nil where that is unknown, as of all that an
    /// operator or a set has caused: there `field` says more.
    public var file: String?
    /// The line in the file; nil where that is nil.
    public var line: Int?

    public init(
        code: Code,
        message: String,
        field: String? = nil,
        file: String? = nil,
        line: Int? = nil
    ) {
        self.code = code
        self.message = message
        self.field = field
        self.file = file
        self.line = line
    }

    public var description: String {
        var text = "ModelKit: \(message)"
        if let field { text += " (field \(field))" }
        if let file { text += " at \(file)" + (line.map { ":\($0)" } ?? "") }
        return text + " [\(code.rawValue)]"
    }
}

public import ModelKitEssentials
import ModelKitModels
public import ModelKitValues

extension JSONSchema {
    /// What `format` means to a rule that is made of a schema.
    ///
    /// ```swift
    /// let rule = try Rule(jsonSchema: schema, formats: .assertions)
    /// ```
    public enum FormatUse: Hashable, Sendable {
        /// It only says what a text is meant to be, as the draft has it by default.
        case annotations

        /// A text has to be of a format that the library has a rule for; others only say what it is
        /// meant to be.
        case assertions
    }
}

extension Rule where Value == AttributeValue {
    /// A rule that accepts what a JSON Schema (draft 2020-12) accepts.
    ///
    /// ```swift
    /// let rule = try Rule(jsonSchema: [
    ///     "type": "object",
    ///     "properties": ["age": ["type": "integer", "minimum": 18]],
    ///     "required": ["name"],
    /// ])
    /// rule.issues(for: ["age": 17]).map(\.description)
    /// // ["name is required", "age must be greater than or equal to 18"]
    /// ```
    ///
    /// It knows the keywords of the core, applicator, validation and format vocabularies, but for
    /// `unevaluatedItems`, `unevaluatedProperties`, `$dynamicRef` and identifiers inside of the
    /// document; `$ref` leads to places in the document. Other keywords are ignored, as the draft has
    /// it. Regular expressions are those of `Pattern`.
    ///
    /// nil passes, `.null` is JSON's null. Numbers are compared as they are written, 1.0 being an
    /// integer; texts by their scalars; dates and data are the texts that JSON has of them. The codes of
    /// issues are those of the library's own rules, an issue of a property that is missing or not
    /// allowed has its path. Of `anyOf` every branch reports, of `oneOf` too, if none of them accepts
    /// the value.
    ///
    /// A check takes as long as the schema says: one that asks for the same in many branches can be
    /// slow, so schemas are to be as trusted as code.
    ///
    /// - Parameters:
    ///   - document: The schema: an object, or true or false.
    ///   - formats: Whether `format` demands anything.
    /// - Throws: Everything that is wrong with the schema, or cannot be done, by its place.
    public init(
        jsonSchema document: AttributeValue,
        formats: JSONSchema.FormatUse = .annotations
    ) throws(JSONSchemaError) {
        var compiler = SchemaCompiler(document, formats)
        let program = try compiler.compile()
        self.init { value in
            guard let value else { return [] }
            var evaluation = SchemaEvaluation(program)
            _ = evaluation.accepts(value, 0)
            return evaluation.issues
        }
    }

    /// A rule of a JSON Schema as JSON text in UTF-8.
    public init(
        jsonSchema text: Data,
        formats: JSONSchema.FormatUse = .annotations
    ) throws(JSONSchemaError) {
        let document: AttributeValue
        do throws(ImportError) {
            document = try AttributeValue(json: text)
        } catch {
            throw JSONSchemaError(issues: error.issues)
        }
        try self.init(jsonSchema: document, formats: formats)
    }
}

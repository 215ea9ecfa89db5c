import ModelKitFields
import ModelKitForms
import ModelKitJSONSchema
import ModelKitModels

/// A schema, and what the rules that it was made of say of values: another validator is asked the
/// same.
struct JudgeCase {
    /// What was said of one value.
    struct Verdict {
        /// The value in JSON.
        var form: AttributeValue
        var issues: [ModelKitFields.Issue]
        /// The fields that did not take their values, by their paths: of these nothing else is said.
        var unread: [FieldPath] = []
    }

    let name: String
    let schema: JSONSchema
    let verdicts: [Verdict]
    /// Whether a schema reports errors where the rule reports them.
    var hasSamePaths = true

    /// A line for the other validator, with what the schema says itself when it is a rule again.
    func line() throws -> AttributeValue {
        let imported = try Rule(jsonSchema: schema.document)
        return [
            "name": .string(name),
            "schema": schema.document,
            "exact": .bool(schema.notRepresented.isEmpty),
            "samePaths": .bool(hasSamePaths),
            "instances": .array(
                verdicts.map { verdict in
                    let errors = verdict.issues.filter { $0.severity == .error }
                    let found = imported.issues(for: verdict.form)
                    return [
                        "value": verdict.form,
                        "imported": .array(found.map { .string($0.path.jsonPointer) }),
                        "valid": .bool(errors.isEmpty),
                        "paths": .array(errors.map { .string($0.path.jsonPointer) }),
                        "unread": .array(verdict.unread.map { .string($0.jsonPointer) }),
                    ]
                }
            ),
        ]
    }
}

extension JudgeCase {
    /// A rule, and what it says of values that are made at random.
    init<Value>(
        _ name: String,
        _ rule: Rule<Value>,
        count: Int,
        _ random: inout SeededGenerator,
        form: (Value) -> AttributeValue,
        value: (inout SeededGenerator) -> Value
    ) {
        self.name = name
        schema = JSONSchema(rule)
        verdicts = (0..<count).map { _ in
            let value = Int.random(in: 0..<8, using: &random) == 0 ? nil : value(&random)
            return Verdict(form: value.map(form) ?? .null, issues: rule.issues(for: value))
        }
    }

    /// A model, and what becomes of dictionaries that are made at random.
    init<M: Model>(
        _ type: M.Type,
        count: Int,
        _ random: inout SeededGenerator,
        value: (inout SeededGenerator) -> AttributeDictionary
    ) {
        name = M.modelName
        schema = JSONSchema(type)
        verdicts = (0..<count).map { _ in
            let dictionary = value(&random)
            let model = M()
            var found: [ModelKitFields.Issue] = []
            do throws(ImportError) {
                try model.read(dictionaryValue: dictionary)
            } catch {
                found = error.issues
            }
            let unread = M.schema.fields.map(\.path).filter { path in
                found.contains { $0.path.components.starts(with: path.components) }
            }
            let rest = model.validationIssues().filter { issue in
                !unread.contains { issue.path.components.starts(with: $0.components) }
            }
            return Verdict(form: .dictionary(dictionary), issues: found + rest, unread: unread)
        }
    }

    /// A form, and what it says of objects that are made at random.
    init<Root, Outcome>(
        _ name: String,
        _ validation: Partial<Root>.Validation<Outcome>,
        count: Int,
        _ random: inout SeededGenerator,
        value: (inout SeededGenerator, inout AttributeDictionary) -> Partial<Root>
    ) {
        self.name = name
        schema = JSONSchema(validation)
        verdicts = (0..<count).map { _ in
            var form: AttributeDictionary = [:]
            let partial = value(&random, &form)
            let issues = validation.report(on: partial).issues
            return Verdict(form: .dictionary(form), issues: issues)
        }
    }
}

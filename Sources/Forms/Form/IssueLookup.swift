import ModelKitFields
import ModelKitModels

/// What one look at a form has found out about fields and models, so that no issue costs a walk of its
/// own.
final class IssueLookup {
    /// What is reported of a field.
    struct Kept {
        /// One issue, which may be reported several times.
        struct Sources {
            var count = 0
            var isAdded = false
            var isFound = false
        }

        let issues: [(issue: Issue, isAdded: Bool)]
        let sources: [Issue: Sources]
        private let start: UInt64

        fileprivate init(_ field: AnyField) {
            // Before the issues: what is found in between counts as found earlier.
            start = field.issuesStart
            issues = field.issuesBySource
            sources = issues.reduce(into: [:]) { sources, entry in
                let known = sources[entry.issue] ?? Sources()
                sources[entry.issue] = Sources(
                    count: known.count + 1,
                    isAdded: known.isAdded || entry.isAdded,
                    isFound: known.isFound || !entry.isAdded
                )
            }
        }

        /// Whether an issue is one that a validation found which began before a revision, so that what
        /// the rules have read beside the value may be another.
        func isFound(_ issue: Issue, before revision: UInt64) -> Bool {
            start < revision && sources[issue]?.isFound == true
        }
    }

    /// The models in a field, and which of them comes first at which place.
    private struct Index {
        let field: AnyField
        let models: [(path: FieldPath, model: any Model)]
        let places: [ObjectIdentifier: Int]

        init(_ field: AnyField) {
            self.field = field
            models = field.heldModels
            let pairs = models.enumerated().map { (ObjectIdentifier($1.model), $0) }
            places = Dictionary(pairs) { first, _ in first }
        }
    }

    /// Fields and models are held, so that no others get their places in memory.
    private var kept: [ObjectIdentifier: (field: AnyField, issues: Kept)] = [:]
    private var indexes: [ObjectIdentifier: Index] = [:]
    private var revisions = LastRevisions()

    /// What is reported of a field.
    func kept(by field: AnyField) -> Kept {
        if let known = kept[ObjectIdentifier(field)] { return known.issues }
        let issues = Kept(field)
        kept[ObjectIdentifier(field)] = (field, issues)
        return issues
    }

    /// What leads from a field to a model in it; nil if it is not there.
    func path(from field: AnyField, to model: any Model) -> FieldPath? {
        let index = indexes[ObjectIdentifier(field)] ?? Index(field)
        indexes[ObjectIdentifier(field)] = index
        return index.places[ObjectIdentifier(model)].map { index.models[$0].path }
    }

    /// The revision of the last change of any field of a model, or of one inside.
    func lastRevision(of model: any Model) -> UInt64 { revisions.last(of: model) }

    /// The same of a field and the models in it.
    func lastRevision(of field: AnyField) -> UInt64 { revisions.last(of: CollectionOfOne(field)) }
}

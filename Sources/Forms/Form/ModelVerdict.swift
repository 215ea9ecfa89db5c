import ModelKitFields
import ModelKitModels

/// What a field knows about a model in it as a whole, which counts until that is changed.
struct ModelVerdict {
    let field: AnyField
    /// With the path from the field.
    let issue: Issue
    let model: any Model
    /// When it was reported.
    let moment = Revision.current

    /// What was reported, whenever that was.
    struct Key: Hashable {
        private let field: ObjectIdentifier
        private let issue: Issue

        init(_ issue: Issue, of field: AnyField) {
            self.field = ObjectIdentifier(field)
            self.issue = issue
        }
    }

    var key: Key { Key(issue, of: field) }

    func isOutdated(_ lookup: IssueLookup) -> Bool {
        field.changeRevision > moment || isOutdated(since: moment, lookup)
    }

    func isOutdated(since revision: UInt64, _ lookup: IssueLookup) -> Bool {
        lookup.lastRevision(of: model) > revision
    }
}

extension [ModelVerdict] {
    /// What was reported about models that were changed since.
    func outdated(_ lookup: IssueLookup) -> [ModelVerdict] { filter { $0.isOutdated(lookup) } }

    var keys: Set<ModelVerdict.Key> { Set(map(\.key)) }
}

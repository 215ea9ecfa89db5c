package import ModelKitModels
package import ModelKitPromises

/// What a store calls a version of a record, also after a restart; both are nil where it has no name for it.
package struct RecordVersion: Sendable {
    package var revision: Int64?
    package var entityTag: String?

    package init(revision: Int64? = nil, entityTag: String? = nil) {
        self.revision = revision
        self.entityTag = entityTag
    }
}

/// Records that are distinguished from those of other stores, so that what was agreed on can be handed back.
package protocol ResumableRecords: RecordStore {
    /// What no other store has, and this one has as long as its records are there.
    func identity() -> Promise<String>

    /// What is to be kept of a revision.
    func version(
        _ revision: Int64,
        of identifier: Identifier,
        _ schema: ModelSchema
    ) -> RecordVersion

    /// The revision that stands for a version that was kept.
    func resume(
        _ version: RecordVersion,
        of identifier: Identifier,
        _ schema: ModelSchema
    ) -> Int64
}

extension ResumableRecords {
    package func version(
        _ revision: Int64,
        of identifier: Identifier,
        _ schema: ModelSchema
    ) -> RecordVersion {
        RecordVersion(revision: revision)
    }

    package func resume(
        _ version: RecordVersion,
        of identifier: Identifier,
        _ schema: ModelSchema
    ) -> Int64 {
        version.revision ?? 0
    }
}

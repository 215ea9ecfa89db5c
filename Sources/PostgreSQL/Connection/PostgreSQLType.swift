/// A type of PostgreSQL, by its OID, which is the same in every database.
package struct PostgreSQLType: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// Whichever the server takes it for.
    package static let unknown = Self(0)
    package static let bool = Self(16)
    package static let bytea = Self(17)
    package static let name = Self(19)
    package static let int8 = Self(20)
    package static let int2 = Self(21)
    package static let int4 = Self(23)
    package static let text = Self(25)
    package static let json = Self(114)
    package static let float8 = Self(701)
    package static let varchar = Self(1043)
    package static let timestamptz = Self(1184)
    package static let numeric = Self(1700)
    package static let uuid = Self(2950)
    package static let jsonb = Self(3802)

    package static let boolArray = Self(1000)
    package static let byteaArray = Self(1001)
    package static let int2Array = Self(1005)
    package static let int4Array = Self(1007)
    package static let textArray = Self(1009)
    package static let int8Array = Self(1016)
    package static let float8Array = Self(1022)
    package static let timestamptzArray = Self(1185)
    package static let jsonArray = Self(199)
    package static let numericArray = Self(1231)
    package static let uuidArray = Self(2951)
    package static let jsonbArray = Self(3807)
}

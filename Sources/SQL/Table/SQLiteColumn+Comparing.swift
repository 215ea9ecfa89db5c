import ModelKitFields
import ModelKitModels
import ModelKitStores

extension AttributeKind {
    /// The value of a column by that name as it compares with others of the kind: -0.0, which is stored as a blob, is zero, and numbers that are stored as texts have
    /// the keys that `NumberText.key` makes; what is no number comes after them.
    func comparable(_ name: String) -> String {
        switch self {
        case .double: return "iif(typeof(\(name)) = 'blob', 0.0, \(name))"
        case .unsigned:
            return """
                iif(\(name) GLOB '*[^0-9]*' OR \(name) GLOB '0?*' OR \(name) = '', \
                char(9999)||\(name), char(1001+length(\(name)))||\(name))
                """
        case .decimal:
            let digits = "0123456789".reversed().enumerated()
            let complement = digits.reduce("substr(\(name),2)") { sql, digit in
                "replace(\(sql),'\(digit.element)','\(Array("abcdefghij")[digit.offset])')"
            }
            let count = "instr(\(name)||'.','.')"
            return """
                CASE WHEN \(name) GLOB '[0-9]*' AND \(name) NOT GLOB '*[^0-9.]*' \
                THEN char(1000+\(count))||\(name) \
                WHEN \(name) GLOB '-[0-9]*' AND \(name) NOT GLOB '-*[^0-9.]*' \
                THEN '-'||char(1000-\(count))||\(complement)||'~' ELSE char(9999)||\(name) END
                """
        default: return name
        }
    }
}

extension SQLiteColumn {
    func isTagged(_ tag: Tag, _ name: String) -> String {
        "(typeof(\(name)) = 'blob' AND substr(\(name), 1, 1) = x'0\(tag.rawValue)')"
    }
}

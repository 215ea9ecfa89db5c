import ModelKitFields
package import ModelKitEssentials

/// Writes a JSON object member by member, whose names are JSON already.
package struct JSONMembers: ~Copyable {
    private var writer = JSONWriter(isPretty: false)
    private var isFirst = true

    package init() { writer.bytes.append(UInt8(ascii: "{")) }

    /// - Parameters:
    ///   - name: The name in its quotes, with a colon behind it.
    ///   - value: The value.
    package mutating func append(_ name: [UInt8], _ value: AttributeValue) {
        begin(name)
        writer.write(value)
    }

    /// The same with a value that is JSON already.
    package mutating func append(_ name: [UInt8], json: String) {
        begin(name)
        writer.bytes.append(json)
    }

    private mutating func begin(_ name: [UInt8]) {
        if !isFirst { writer.bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        name.withUnsafeBytes { writer.bytes.append($0) }
    }

    /// The object; nil if there was a value that JSON cannot say.
    package consuming func data() -> Data? {
        guard writer.issues.isEmpty else { return nil }
        writer.bytes.append(UInt8(ascii: "}"))
        return writer.data()
    }
}

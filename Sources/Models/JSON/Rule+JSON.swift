public import ModelKitFields

extension Rule where Value == String {
    /// A JSON text (RFC 8259) with any value: "must be valid JSON".
    ///
    /// What is one, `AttributeValue(json:)` says. The value is made and dropped, so a check that
    /// passes allocates.
    public static var json: Rule {
        Rule("must be valid JSON", code: "json") { text in
            var text = text
            return text.withUTF8 { utf8 in
                var reader = JSONReader(UnsafeRawBufferPointer(utf8))
                do throws(JSONReader.Failure) {
                    _ = try reader.readText()
                    return true
                } catch {
                    return false
                }
            }
        }
    }
}

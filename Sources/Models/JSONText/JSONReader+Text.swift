import ModelKitFields
import ModelKitEssentials

extension Data {
    /// Runs a closure with the bytes of a text.
    func withJSON<Result>(
        _ body: (UnsafeRawBufferPointer) throws(ImportError) -> Result
    ) throws(ImportError) -> Result {
        // What a closure throws cannot leave the other one as its own type.
        try withUnsafeBytes { bytes in
            Swift.Result { () throws(ImportError) in try body(bytes) }
        }
        .get()
    }
}

extension JSONReader {
    /// The value of a whole text.
    static func value(
        _ bytes: UnsafeRawBufferPointer,
        _ options: JSONOptions,
        for form: any CodedForm.Type = AttributeValue.self,
        in registry: TransformerRegistry? = nil
    ) throws(ImportError) -> AttributeValue {
        var reader = JSONReader(bytes, options)
        do throws(JSONReader.Failure) {
            try reader.beginText()
            let value = try reader.readValue(for: form, in: registry)
            try reader.endText()
            return value
        } catch {
            throw reader.error(error)
        }
    }

    /// Reads the value that stands here, with numbers of many digits as a form takes them.
    ///
    /// Where the class of an object has to say which it takes, all is read again once that is known.
    mutating func readValue(
        for form: any CodedForm.Type,
        in registry: TransformerRegistry?
    ) throws(Failure) -> AttributeValue {
        if !form.takesWideNumbers { return try readValue() }
        defer { wideNumbers = .rounded }
        let start = position
        var asksClass = false
        wideNumbers = .used { path, literal in
            let number = WideNumber(literal, at: path, of: nil, in: registry)
            if let use = form.use(of: number) { return use }
            asksClass = true
            return number.unread
        }
        let value = try readValue()
        if !asksClass { return value }
        position = start
        let classes = KnownClasses()
        wideNumbers = .used { path, literal in
            classes.move(to: path)
            let number = WideNumber(literal, at: path, of: value, in: registry, classes)
            return form.use(of: number) ?? number.unread
        }
        return try readValue()
    }
}

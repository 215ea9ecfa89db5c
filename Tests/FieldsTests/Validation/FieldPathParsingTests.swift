import ModelKitFields
import TestSupport
import Testing

@Suite struct FieldPathParsingTests {
    @Test(
        arguments: [
            ("", []), ("name", ["name"]), ("terms[2].start", ["terms", 2, "start"]),
            ("[0][1]", [0, 1]), ("a b.ß.💩[10]", ["a b", "ß", "💩", 10]), ("1.2", ["1", "2"]),
        ] as [(String, FieldPath)]
    )
    func `a path is read as it is written`(text: String, path: FieldPath) throws {
        try expect(FieldPath(parsing: text), equals: path)
        expect(path.description, equals: text)
    }

    @Test(
        arguments: [
            (".a", 0, .emptyKey), ("a.", 2, .emptyKey), ("a..b", 2, .emptyKey),
            ("a.[0]", 2, .emptyKey),
            ("a[", 1, .unclosedIndex), ("a[x]", 2, .badIndex), ("a[]", 2, .badIndex),
            ("a[-1]", 2, .badIndex), ("a[01]", 2, .badIndex),
            ("ß[99999999999999999999]", 3, .badIndex),
            ("a]", 1, .unopenedIndex), ("a[0]b", 4, .missingDot),
        ] as [(String, Int, FieldPathError.Reason)]
    )
    func `what is no path is refused where it is none`(
        text: String,
        offset: Int,
        reason: FieldPathError.Reason
    ) {
        #expect(throws: FieldPathError(text: text, offset: offset, reason: reason)) {
            try FieldPath(parsing: text)
        }
    }

    @Test(
        arguments: [
            ("", []), ("/", [""]), ("/terms/2/start", ["terms", 2, "start"]),
            ("/a~1b/~0/~01", ["a/b", "~", "~1"]), ("/01/-1", ["01", "-1"]), ("/a.b[0]", ["a.b[0]"]),
        ] as [(String, FieldPath)]
    )
    func `a JSON Pointer is read as it is written`(text: String, path: FieldPath) throws {
        try expect(FieldPath(jsonPointer: text), equals: path)
        expect(path.jsonPointer, equals: text)
    }

    @Test(
        arguments: [
            ("a", 0, .missingSlash), ("/a/ß~2", 5, .unknownEscape), ("/~", 1, .unknownEscape),
        ] as [(String, Int, FieldPathError.Reason)]
    )
    func `what is no JSON Pointer is refused where it is none`(
        text: String,
        offset: Int,
        reason: FieldPathError.Reason
    ) {
        let error = FieldPathError(text: text, offset: offset, reason: reason)
        #expect(throws: error) { try FieldPath(jsonPointer: text) }
        expect(error.description, equals: "path \"\(text)\" at \(offset): \(reason.rawValue)")
    }

    @Test(arguments: ["~\u{301}", "\u{301}", "a/\u{301}b", "~1"])
    func `a pointer of a key with marks leads back to it`(key: String) throws {
        let path = FieldPath(key: key)
        let parsed = try FieldPath(jsonPointer: path.jsonPointer)
        expect(parsed, equals: path)
        expect(parsed.jsonPointer.unicodeScalars.elementsEqual(path.jsonPointer.unicodeScalars))
    }

    @Test func `a mark does not hide that an escape is none`() {
        #expect(throws: FieldPathError.self) { try FieldPath(jsonPointer: "/~\u{301}x") }
    }
}

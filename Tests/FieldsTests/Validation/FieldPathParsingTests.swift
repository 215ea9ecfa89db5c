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
            (".a", 0, "a key must not be empty"), ("a.", 2, "a key must not be empty"),
            ("a..b", 2, "a key must not be empty"),
            ("a.[0]", 2, "a key must not be empty"),
            ("a[", 1, "the bracket is not closed"), ("a[x]", 2, "an index must be a number"),
            ("a[]", 2, "an index must be a number"),
            ("a[-1]", 2, "an index must be a number"), ("a[01]", 2, "an index must be a number"),
            ("ß[99999999999999999999]", 3, "an index must be a number"),
            ("a]", 1, "no bracket is open"),
            ("a[0]b", 4, "a key after an index needs a dot before it"),
        ] as [(String, Int, String)]
    )
    func `what is no path is refused where it is none`(
        text: String,
        offset: Int,
        reason: String
    ) {
        let error = #expect(throws: FieldPathError.self) { try FieldPath(parsing: text) }
        expect(error?.text == text && error?.offset == offset)
        expect(error?.description, equals: "path \"\(text)\" at \(offset): \(reason)")
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
            ("a", 0, "a pointer must be empty or begin with a slash"),
            ("/a/ß~2", 5, "only ~0 and ~1 are escapes"), ("/~", 1, "only ~0 and ~1 are escapes"),
        ] as [(String, Int, String)]
    )
    func `what is no JSON Pointer is refused where it is none`(
        text: String,
        offset: Int,
        reason: String
    ) {
        let error = #expect(throws: FieldPathError.self) { try FieldPath(jsonPointer: text) }
        expect(error?.text == text && error?.offset == offset)
        expect(error?.description, equals: "path \"\(text)\" at \(offset): \(reason)")
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

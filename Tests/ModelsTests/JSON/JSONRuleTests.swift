import ModelKitFields
import ModelKitModels
import Testing

struct JSONRuleTests {
    @Test(arguments: ["{}", "1", "\"a\"", " [1, {\"a\": null}] ", "null", "1e3"])
    func `a JSON text passes`(text: String) {
        #expect(Rule<String>.json.issues(for: text) == [])
    }

    @Test(arguments: ["", " ", "{", "{a: 1}", "[1,]", "01", "1 2", "nul", "\"\u{1}\"", "'a'"])
    func `anything else does not`(text: String) {
        #expect(
            Rule<String>.json.issues(for: text)
                == [ModelKitFields.Issue(code: "json", message: "must be valid JSON")]
        )
    }
}

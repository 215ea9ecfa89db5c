import Foundation
import Testing

/// The code of the articles is that of the files beside this one, which run.
@Suite struct ArticleTests {
    @Test(arguments: [
        "GettingStarted", "ChoosingAStore",
        "Observing", "Binding", "ComputedAndBatches", "Validating", "WritingARule",
        "MessagesAndCodes", "ReadingText",
        "FormsAndDrafts", "DictionariesAndJSON", "Relations", "ObservingModels",
        "Transformers", "Models", "Promises", "Stores", "Queries", "ListsOnScreen",
        "SQLiteAndMigrations", "PostgreSQL",
        "WritingAStore", "RESTStores", "ErrorsFromServers", "ServingModels",
    ])
    func `every example of an article is in the test of its name`(article: String) throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = tests.deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appending(path: "Sources/ModelKit/ModelKit.docc/\(article).md"),
            encoding: .utf8
        )
        let code = try String(
            contentsOf: tests.appending(path: "\(article).swift"),
            encoding: .utf8
        )
        let lines = code.split(separator: "\n", omittingEmptySubsequences: false).map(unindented)
        let examples = text.components(separatedBy: "```swift\n").dropFirst()
        #expect(!examples.isEmpty)
        for example in examples {
            let end = try #require(example.range(of: "\n```"))
            let wanted = example[..<end.lowerBound]
                .split(separator: "\n", omittingEmptySubsequences: false).map(unindented)
            // Expectations may stand between the lines of an example.
            var rest = wanted[...]
            for line in lines {
                if line != rest.first, !line.hasPrefix("#expect") { rest = wanted[...] }
                if line == rest.first { rest.removeFirst() }
                if rest.isEmpty { break }
            }
            #expect(rest.isEmpty, "\(article): \(wanted.joined(separator: "\n"))")
        }
    }

    private func unindented(_ line: Substring) -> String {
        line.trimmingCharacters(in: .whitespaces)
    }
}

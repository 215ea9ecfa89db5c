import Foundation
import ModelKit
import ModelKitSQL
import Testing

@Suite struct GettingStarted {
    final class Book: Model {
        let id = Field<String>()
        let title = Field<String>(name: "Title").require(.notBlank)
        let pages = Field<Int>(name: "Pages").require(.range(1...5_000))
        let isRead = Field<Bool>(value: false)
    }

    @Test func `the examples of the article run`() async throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("modelkit-article-\(UUID().uuidString).db").path
        defer {
            for end in ["", "-wal", "-shm", "-lock"] {
                try? FileManager.default.removeItem(atPath: path + end)
            }
        }

        let book = Book()
        book.pages.value = 0
        print(book.validate())
        // invalid(["Title cannot be blank", "Pages must be greater than or equal to 1"])
        #expect(book.title.issues.map(\.code) == ["notBlank"])
        #expect(book.pages.issues.map(\.code) == ["min"])

        let draft = book.draft()
        let form = Form().add(draft)
        form.observeState { state in print(state) }  // unknown
        #expect(form.state == .unknown)
        draft.title.value = "The Dispossessed"
        form.validate()  // invalid(["Pages must be greater than or equal to 1"])
        #expect(form.state == .invalid(["Pages must be greater than or equal to 1"]))
        draft.pages.value = 387  // valid
        #expect(form.state == .valid)
        try await form.submit {
            try form.commit()
        }
        print(book)  // Book(title: "The Dispossessed", pages: 387, isRead: false)
        #expect("\(book)" == #"Book(title: "The Dispossessed", pages: 387, isRead: false)"#)

        let store = try SQLiteModelStore(path: path)
        try await store.save(book)
        book.isRead.value = true
        try await store.update(book)
        try await store.close()
        #expect(book.id.value != nil)

        let reopened = try SQLiteModelStore(path: path)
        let books = try await reopened.list(
            Book.self,
            where: \.isRead == true,
            orderBy: .ascending(\.title)
        )
        print(books.compactMap(\.title.value))  // ["The Dispossessed"]
        #expect(books.compactMap(\.title.value) == ["The Dispossessed"])

        for try await result in reopened.observe(Book.self, orderBy: .ascending(\.title)) {
            print(result.models.compactMap(\.title.value))
            #expect(result.models.count == (result.isFirst ? 1 : 2))
            if !result.isFirst { break }  // ["Earthsea", "The Dispossessed"]
            let next = Book()
            next.title.value = "Earthsea"
            try await reopened.create(next)
        }
        try await reopened.close()
    }

    @Test func `a form that is invalid is not submitted`() async throws {
        let book = Book()
        let form = Form().add(book.draft())
        await #expect(throws: FormError.self) {
            try await form.submit { try form.commit() }
        }
    }
}

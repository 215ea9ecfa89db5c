public import ModelKitFields
public import ModelKitModels
public import ModelKitStores

/// A store of models that a server keeps, asked by HTTP.
///
/// ```swift
/// final class API: RemoteModelStore {
///     let origin = "https://api.example.com/v1"
///     let session = StoreSession()
///     var defaultHeaders: HTTPHeaders { ["X-Client": "contacts"] }
/// }
/// let person = try await API().lookup(Person.self, identifier: 7).value   // GET /v1/people/7
/// person.name.value = "Ada"
/// try await API().update(person).value   // PATCH /v1/people/7 {"name": "Ada"}
/// ```
///
/// All but the first two are hooks, which have defaults: how requests are sent, where models are, how the
/// server talks, and what is to be done before and after. A request takes these steps: ``serializeModel(_:as:)``
/// and ``formatPayload(_:of:)`` for what is sent, then ``restoreSession()``, ``defaultHeaders`` and
/// ``encodingForMethod(_:)``; then the transport sends it; ``constructResponse(_:to:)`` reads the answer,
/// and ``deserializeModel(_:from:)`` gives what models are read from. Every failure on this way is passed to
/// ``handleError(_:of:)`` once.
///
/// | use | request |
/// |---|---|
/// | `create` | POST to the collection, which is that of its owner if it has one |
/// | `update` | PATCH with the fields that were edited, null for nil; nothing if nothing was |
/// | `save` | POST or PATCH; where the identifier may be taken PUT or PATCH, then POST if there is nothing |
/// | `delete` | DELETE; a second one that finds nothing is a success |
/// | `lookup`, `list` | GET; a list follows its pages until its limit |
///
/// Values that the server makes arrive in the model with the answer, but for fields that were edited since.
/// Every request that writes has an `Idempotency-Key`, which retries keep. A failure says whether the server
/// may have done it all the same (`StoreError.outcome`). Live queries follow what was written by this store,
/// and nothing that others write.
public protocol RemoteModelStore: RecordModelStore {
    /// Where the server is: a scheme, a host and perhaps a port, and a path before all others.
    var origin: String { get }

    /// Whose data the server gives: an agreement that was kept is resumed by the same account alone.
    ///
    /// Empty, as it is by default, where the server gives everybody the same.
    var account: String { get }

    /// What sends requests.
    ///
    /// By default the system's, which follows redirects and tries again where that does no harm.
    var transport: any HTTPTransport { get }

    /// Where models are.
    var router: RESTRouter { get }

    /// How models are written: how keys are spelled, whether nil is written, and what has another form.
    var valueTransformerContext: ValueTransformerContext { get }

    /// How the server talks; ``RESTDialect/plain`` by default.
    var dialect: RESTDialect { get }

    /// How long a request may take, and how much may be answered.
    var limits: HTTPLimits { get }

    /// How deep the JSON of an answer may be.
    var jsonOptions: JSONOptions { get }

    /// How many models a list may have, beyond which it fails, as a server may have no end of them.
    ///
    /// Where the dialect `honoursIfMatch`, the tags of as many models are kept, at least of 10 000: of those that were
    /// used last.
    var maximumCount: Int { get }

    /// Headers that every request has; a `Content-Type` only those that have a body.
    var defaultHeaders: HTTPHeaders { get }

    /// How what is sent is put into a request: as a JSON body by default.
    func encodingForMethod(_ method: HTTPMethod) -> RESTEncoding

    /// How what is sent is written where it is a form, or in the address.
    ///
    /// By default an array is `tags[0]=a&tags[1]=b`, and nil an empty text. Rails takes `.bracketed` arrays and
    /// no others, and Express (qs) makes a dictionary of an indexed one with more than 20 elements. What an
    /// encoder cannot write, as models in an array that is not `.indexed`, fails with `.unsupported`, and so does
    /// an update that would lose something, as nil by an encoder without nulls.
    var parameterEncoder: ParameterEncoder { get }

    /// What is sent in the place of what would be.
    ///
    /// - Parameters:
    ///   - payload: The object of a model, or of its edited fields.
    ///   - type: The type of the model.
    /// - Returns: What is sent; what the dialect puts around it comes after this.
    func formatPayload(
        _ payload: AttributeDictionary,
        of type: any Model.Type
    ) -> AttributeDictionary

    /// The object that is sent for a model.
    ///
    /// - Parameters:
    ///   - type: The type of the model.
    ///   - object: What it is in the store's context: of a new model all fields, of one that is updated those
    ///     that were edited, with the identifier if the dialect's `namesIdentifierInUpdates` says so.
    /// - Returns: The object.
    /// - Throws: Why it cannot be sent.
    func serializeModel(
        _ type: any Model.Type,
        as object: AttributeDictionary
    ) throws -> AttributeDictionary

    /// What a model is read from.
    ///
    /// - Parameters:
    ///   - type: The type of the model.
    ///   - object: What the server has sent.
    /// - Returns: The object with the keys of the store's context; fields without a key keep their values.
    /// - Throws: Why no model can be read from it.
    func deserializeModel(
        _ type: any Model.Type,
        from object: AttributeDictionary
    ) throws -> AttributeDictionary

    /// Reads an answer, whatever its status is.
    ///
    /// What it throws, or gives as the `error` of the response, is what the use of the store fails with.
    func constructResponse(_ response: HTTPResponse, to request: HTTPRequest) throws -> RESTResponse

    /// Called with every failure once, on the thread that found out.
    ///
    /// That there is no model of an identifier is an answer: it is not called for a lookup that ends so.
    ///
    /// - Parameters:
    ///   - error: What the use of the store fails with.
    ///   - request: The request; nil if there was none.
    func handleError(_ error: StoreError, of request: HTTPRequest?)

    /// Is called before each request, which is made once the promise is there; if it fails, so does the use of
    /// the store: with `.unauthorized`, unless its error is one of stores.
    func restoreSession() -> Promise<Void>
}

extension RemoteModelStore {
    public var records: any RecordStore { RemoteRecordStore(self) }
    public var account: String { "" }
    public var transport: any HTTPTransport { RemoteDefaults.transport }
    public var router: RESTRouter { RemoteDefaults.router }
    public var valueTransformerContext: ValueTransformerContext { .default }
    public var dialect: RESTDialect { .plain }
    public var limits: HTTPLimits { HTTPLimits() }
    public var jsonOptions: JSONOptions { JSONOptions() }
    public var maximumCount: Int { 1_000_000 }
    public var defaultHeaders: HTTPHeaders { [:] }

    public func encodingForMethod(_ method: HTTPMethod) -> RESTEncoding { .json }

    public var parameterEncoder: ParameterEncoder { ParameterEncoder(includeNullValues: true) }

    public func formatPayload(
        _ payload: AttributeDictionary,
        of type: any Model.Type
    ) -> AttributeDictionary {
        payload
    }

    public func serializeModel(
        _ type: any Model.Type,
        as object: AttributeDictionary
    ) throws -> AttributeDictionary {
        object
    }

    public func deserializeModel(
        _ type: any Model.Type,
        from object: AttributeDictionary
    ) throws -> AttributeDictionary {
        object
    }

    public func constructResponse(
        _ response: HTTPResponse,
        to request: HTTPRequest
    ) throws -> RESTResponse {
        RESTResponse(response, options: jsonOptions)
    }

    public func handleError(_ error: StoreError, of request: HTTPRequest?) {}

    public func restoreSession() -> Promise<Void> { .value(()) }
}

/// What is the same for all stores that say nothing else, and made once.
enum RemoteDefaults {
    static let transport: any HTTPTransport =
        RetryingTransport(RedirectingTransport(URLSessionTransport()))
    static let router = RESTRouter()
}

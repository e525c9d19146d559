import FitIQAPI
import JSON

/// A document of a collection, which is stored as sent.
public struct DocumentData: Sendable, Equatable {
    public var id: ResourceID?
    /// The members as JSON without braces, because parsed ones take far more memory.
    public var members: [UInt8]
    /// Nil for the last change, or the world's start.
    public var createdAt: DataTime?
    /// Nil for the creation.
    public var updatedAt: DataTime?
    /// The users who may read it, in addition to its own; only for workout templates.
    public var sharedWith: [ExactString]

    /// - Parameter object: The members that the world sets count for nothing in it.
    public init(
        id: ResourceID? = nil, object: JSONObject, in collection: DocumentCollection, createdAt: DataTime? = nil,
        updatedAt: DataTime? = nil, sharedWith: [ExactString] = []
    ) {
        let object = JSONValue.object(object.withoutMembers(collection.reservedMembers))
        (self.id, members) = (id, Array(object.encoded().dropFirst().dropLast()))
        (self.createdAt, self.updatedAt, self.sharedWith) = (createdAt, updatedAt, sharedWith)
    }

    init(_ document: Document) {
        (id, members, sharedWith) = (document.id, Array(document.members), document.sharedWith)
        (createdAt, updatedAt) = (.at(document.createdAt), .at(document.updatedAt))
    }
}

extension Planter {
    mutating func plantDocuments(of data: UserData, _ user: UserID, at path: String) throws(PlantError) {
        for collection in DocumentCollection.allCases {
            let path = "\(path).documents.\(collection.rawValue)"
            let drafts = data.documents[collection] ?? []
            let count = backend.users[user].documents[collection, default: []].count + drafts.count
            try check(count, "documents of this user", limit: limits.documents, path)
            var documents: [Document] = []
            for (index, draft) in drafts.enumerated() {
                documents.append(try document(draft, in: collection, userID: data.id, at: "\(path)[\(index)]"))
            }
            for (index, document) in Self.oldestFirst(documents, by: \.createdAt) {
                try checkStorage("\(path)[\(index)]")
                backend.insert(document, in: collection, of: user)
            }
        }
    }

    private mutating func document(
        _ data: DocumentData, in collection: DocumentCollection, userID: ExactString, at path: String
    ) throws(PlantError) -> Document {
        let size = data.members.count + 2
        guard size <= DocumentRequest.maximumBytes || isRestored else {
            throw PlantError(path, .documentTooLarge(size, limit: DocumentRequest.maximumBytes))
        }
        try check(
            data.sharedWith.count, "users of a shared template", limit: limits.shares, "\(path).shared_with")
        for (index, user) in data.sharedWith.enumerated() {
            try check(user.text, "\(path).shared_with[\(index)]", TextLengths.user, bytes: AccessToken.userBytes)
        }
        let times = try times(data.createdAt, data.updatedAt, "the document was created", at: path)
        var names: Set<ExactString> = []
        return Document(
            id: data.id ?? turn.identifiers.next(), user: userID, object: JSONObject(encodedMembers: data.members),
            createdAt: times.created, updatedAt: times.updated,
            sharedWith: collection == .workoutTemplates ? data.sharedWith.filter { names.insert($0).inserted } : [])
    }
}

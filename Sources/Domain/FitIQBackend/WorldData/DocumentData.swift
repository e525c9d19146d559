import FitIQAPI
import JSON

/// A document in a collection, with the members of requests and the members that are set only by scenarios.
///
/// The document's times may be relative: `3d ago` counts back from the world's start.
public struct DocumentData: Sendable, Equatable {
    public var id: ResourceID?
    /// The members as JSON without braces, because parsed members take far more memory.
    public var members: [UInt8]
    /// The creation time; nil means the time of the last change or the world's start.
    public var createdAt: DataTime?
    /// The time of the last change; nil means the creation time.
    public var updatedAt: DataTime?
    /// The users besides its owner who may read a workout template; empty for other documents.
    public var shares: [ShareData]

    /// - Parameter object: The members; members that the world sets are ignored.
    public init(
        id: ResourceID? = nil, object: JSONObject, in collection: DocumentCollection, createdAt: DataTime? = nil,
        updatedAt: DataTime? = nil, shares: [ShareData] = []
    ) {
        let object = JSONValue.object(object.withoutMembers(collection.reservedMembers))
        (self.id, members) = (id, Array(object.encoded().dropFirst().dropLast()))
        (self.createdAt, self.updatedAt, self.shares) = (createdAt, updatedAt, shares)
    }

    init(_ document: Document) {
        (id, members, shares) = (document.id, Array(document.members), document.shares.map(ShareData.init))
        (createdAt, updatedAt) = (.at(document.createdAt), .at(document.updatedAt))
    }
}

/// A user who may read and copy a workout template.
public struct ShareData: Sendable, Equatable {
    public var id: ResourceID?
    public var user: ExactString
    public var professionalType = usualProfession
    public var notes: String?
    /// The creation time; nil means the time of the template's last change.
    public var createdAt: DataTime?

    public static let usualProfession = ShareDocumentRequest.usualProfession
}

extension ShareData {
    public init(id: ResourceID? = nil, user: ExactString) { self.init(id: id, user: user, notes: nil) }

    init(_ share: TemplateShare) {
        self.init(
            id: share.id, user: share.user, professionalType: share.professionalType, notes: share.notes,
            createdAt: .at(share.sharedAt))
    }
}

extension Planter {
    mutating func plantDocuments(of data: UserData, _ user: UserID, at path: String) throws(PlantError) {
        for collection in DocumentCollection.allCases {
            let path = "\(path).documents.\(collection.rawValue)"
            let drafts = data.documents[collection] ?? []
            let count = backend.users[user].documents[collection, default: []].count + drafts.count
            try check(count, "documents for this user", limit: limits.documents, path)
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
        try check(data.shares.count, "users of a shared template", limit: limits.shares, "\(path).shared_with")
        let times = try times(data.createdAt, data.updatedAt, "the document was created", at: path)
        var (names, shares): (Set<ExactString>, [TemplateShare]) = ([], [])
        for (index, share) in data.shares.enumerated() where collection == .workoutTemplates {
            let path = "\(path).shared_with[\(index)]"
            try check(share.user.text, path, AccessToken.userLength, bytes: AccessToken.userBytes)
            do throws(APIError) {
                try ShareDocumentRequest.check(professionalType: share.professionalType)
            } catch {
                throw PlantError("\(path).professional_type", .document(error.message))
            }
            let user = ShareDocumentRequest.user(share.user)
            guard names.insert(user).inserted else { continue }
            shares.append(
                TemplateShare(
                    id: share.id ?? turn.identifiers.next(), user: user, professionalType: share.professionalType,
                    notes: share.notes, sharedAt: try time(share.createdAt, "\(path).created_at") ?? times.updated))
        }
        let document = Document(
            id: data.id ?? turn.identifiers.next(), user: userID,
            object: try members(of: data, in: collection, created: times.created, at: path), in: collection,
            createdAt: times.created, updatedAt: times.updated, shares: shares)
        let size = document.members.count + 2
        guard size <= DocumentRequest.maximumBytes || isRestored else {
            throw PlantError(path, .documentTooLarge(size, limit: DocumentRequest.maximumBytes))
        }
        return document
    }

    /// The members according to the collection's row; a saved world may violate newer rules.
    private func members(
        of data: DocumentData, in collection: DocumentCollection, created: Timestamp, at path: String
    ) throws(PlantError) -> JSONObject {
        let object = JSONObject(encodedMembers: data.members)
        do throws(APIError) {
            return try DocumentRequest.planted(object, in: collection, at: now, created: created)
        } catch {
            if isRestored { return object }
            throw PlantError(path, .document(error.message))
        }
    }
}

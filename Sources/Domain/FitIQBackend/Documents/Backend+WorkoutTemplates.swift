import FitIQAPI
import JSON

/// Workout templates, the only documents that other users may read: those that are public, and those that are shared.
extension Backend {
    /// Lists the templates of all users with `is_public: true`, newest first.
    public func publicTemplates(_ query: DocumentListQuery) -> Deferred<[UInt8]> {
        templates(query) { $1.isPublic }
    }

    /// Lists the templates of others that are shared with a user, newest first.
    public func templatesShared(with user: UserID, _ query: DocumentListQuery) -> Deferred<[UInt8]> {
        let name = users[user].id
        return templates(query) { owner, template in owner != user && template.sharedWith.contains(name) }
    }

    /// Shares a template with users, whether or not they exist; names that are listed already stay where they are.
    ///
    /// - Throws: 404; 507 at the limit of users, or if the world is full.
    public mutating func shareTemplate(
        _ id: String, _ request: ShareDocumentRequest, by user: UserID
    ) throws(APIError) -> [UInt8] {
        let index = try index(of: id, in: .workoutTemplates, of: user)
        var template = users[user].documents[.workoutTemplates, default: []][index]
        var names = Set(template.sharedWith)
        template.sharedWith += request.users.map(canonical).filter { names.insert($0).inserted }
        let limit = configuration.limits.shares
        guard template.sharedWith.count <= limit else { throw .storeFull("users of a shared template", limit: limit) }
        try checkStorage()
        set(template, at: index, in: .workoutTemplates, of: user)
        return JSONWriter.success { data in
            data.member("template_id", template.id)
            data.array("shared_with") { array in for name in template.sharedWith { array.value(name.text) } }
            data.member("count", template.sharedWith.count)
        }
    }

    /// Ends sharing with one user; throws 404 if the template is not shared with that one.
    public mutating func unshareTemplate(_ id: String, with other: String, by user: UserID) throws(APIError) {
        let index = try index(of: id, in: .workoutTemplates, of: user)
        var template = users[user].documents[.workoutTemplates, default: []][index]
        guard let place = template.sharedWith.firstIndex(of: canonical(ExactString(other))) else {
            throw .notShared(template.id, with: other)
        }
        template.sharedWith.remove(at: place)
        set(template, at: index, in: .workoutTemplates, of: user)
    }

    /// Adds a copy of a template that the user may read; members of the request replace those of the original.
    ///
    /// - Throws: 404; 400 if the copy is too large; 507 at the limit of documents, or if the world is full.
    public mutating func copyTemplate(
        _ id: String, changing members: JSONObject, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        var object = try readable(id, in: .workoutTemplates, for: user).object
        for (name, value) in members { object[name] = value }
        try DocumentRequest.checkSize(of: object, for: .workoutTemplates)
        return try createDocument(object, in: .workoutTemplates, by: user, &turn)
    }

    /// The user's document, or another's that the user may read; throws 404 for every other one.
    func readable(_ id: String, in collection: DocumentCollection, for user: UserID) throws(APIError) -> Document {
        if let index = try? index(of: id, in: collection, of: user) {
            return users[user].documents[collection, default: []][index]
        }
        let name = users[user].id
        guard collection == .workoutTemplates, let resource = resource(id),
            let template = sharers.lazy.compactMap({ owner in
                self.users[owner].documents[collection, default: []].first { $0.id == resource }
            }).first, template.isPublic || template.sharedWith.contains(name)
        else { throw .unknownDocument(id, in: collection) }
        return template
    }

    /// Remembers who has templates that others may read, so that a search for them visits no other users.
    mutating func noteSharing(of document: Document, in collection: DocumentCollection, by user: UserID) {
        guard collection == .workoutTemplates, document.isPublic || !document.sharedWith.isEmpty else { return }
        sharers.insert(user)
    }

    /// Lists templates of all users, newest first; those of the same time in the order of users and their lists,
    /// reversed.
    private func templates(
        _ query: DocumentListQuery, where isWanted: @escaping @Sendable (UserID, Document) -> Bool
    ) -> Deferred<[UInt8]> {
        let owners = sharers.map { (id: $0, templates: users[$0].documents[.workoutTemplates, default: []]) }
        return Deferred(cost: query.cost(of: owners.map(\.templates))) {
            var found: [(time: Timestamp, user: Int, place: Int, template: Document)] = []
            for owner in owners {
                for (place, template) in owner.templates.enumerated() where isWanted(owner.id, template) {
                    found.append((template.createdAt, owner.id.index, place, template))
                }
            }
            found.sort { ($0.time, $0.user, $0.place) > ($1.time, $1.user, $1.place) }
            return query.page(of: found.lazy.map(\.template), in: .workoutTemplates)
        }
    }
}

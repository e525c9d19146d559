import FitIQAPI
import JSON

/// Workout templates, the only documents that other users may read: public templates, system templates and shared
/// templates.
extension Backend {
    /// Lists the templates from the query's source, by default the user's, newest first.
    public func templates(_ query: DocumentListQuery, for user: UserID) -> Deferred<[UInt8]> {
        let name = users[user].id
        return templates(query, of: user) { owner, template in
            let isOwn = owner == user && !template.isOfSystem
            return switch query.source {
            case nil: isOwn || (query.includesPublic && template.isOpen)
            case .owned: isOwn
            case .system: template.isOfSystem
            case .shared: owner != user && template.share(with: name) != nil
            }
        }
    }

    /// Lists the public templates of all users and the system templates, newest first.
    public func publicTemplates(_ query: DocumentListQuery) -> Deferred<[UInt8]> {
        templates(query) { $1.isOpen }
    }

    /// Lists the templates shared with a user, newest first, with the sharing user and role.
    public func templatesShared(with user: UserID, _ query: DocumentListQuery, at now: Timestamp) -> Deferred<[UInt8]> {
        let name = users[user].id
        return templates(
            query,
            as: { template, owner in
                template.shared(by: owner.profile(at: now).content.name, template.share(with: name))
            },
            where: { owner, template in
                guard owner != user, let share = template.share(with: name) else { return false }
                return query.professionalType == nil || query.professionalType == share.professionalType
            })
    }

    /// Shares a template with users, even unknown users; an existing share keeps its id and time.
    ///
    /// - Throws: A 404; a 403 if the template belongs to another user; a 507 at the user limit or if the world is full.
    public mutating func shareTemplate(
        _ id: String, _ request: ShareDocumentRequest, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        let index = try index(of: id, in: .workoutTemplates, of: user)
        var template = users[user].documents[.workoutTemplates, default: []][index]
        var (asked, identifiers) = ([TemplateShare](), turn.identifiers)
        for name in request.users where !asked.contains(where: { $0.user == name }) {
            let place = template.shares.firstIndex { $0.user == name }
            let known = place.map { template.shares[$0] }
            let share = TemplateShare(
                id: known?.id ?? identifiers.next(), user: name, professionalType: request.professionalType,
                notes: request.notes, sharedAt: known?.sharedAt ?? turn.date)
            if let place { template.shares[place] = share } else { template.shares.append(share) }
            asked.append(share)
        }
        let limit = configuration.limits.shares
        guard template.shares.count <= limit else { throw .storeFull("users of a shared template", limit: limit) }
        try checkStorage()
        turn.identifiers = identifiers
        set(template, at: index, in: .workoutTemplates, of: user)
        return JSONWriter.success { data in
            data.member("template_id", template.id)
            data.member("template_name", template.object["name"]?.string ?? "")
            data.array("shared_with") { array in
                for share in asked {
                    array.object { writer in
                        writer.member("user_id", share.user.text)
                        writer.member("share_id", share.id)
                        writer.member("shared_at", share.sharedAt)
                    }
                }
            }
            data.member("total_shared", asked.count)
            data.member("professional_type", request.professionalType)
        }
    }

    /// Stops sharing with one user; throws 404 if the template is not shared with that user.
    public mutating func unshareTemplate(
        _ id: String, with other: String, by user: UserID, at now: Timestamp
    ) throws(APIError) -> [UInt8] {
        let index = try index(of: id, in: .workoutTemplates, of: user)
        var template = users[user].documents[.workoutTemplates, default: []][index]
        let name = ShareDocumentRequest.user(ExactString(other))
        guard let place = template.shares.firstIndex(where: { $0.user == name }) else {
            throw .notShared(template.id, with: other)
        }
        template.shares.remove(at: place)
        set(template, at: index, in: .workoutTemplates, of: user)
        return JSONWriter.success { data in
            data.member("template_id", template.id)
            data.member("revoked_from_user_id", name.text)
            data.member("revoked_at", now)
        }
    }

    /// Adds a private copy of a template that the user may read, with new ids.
    ///
    /// - Throws: A 404, or a 507 at the document limit or if the world is full.
    public mutating func copyTemplate(
        _ id: String, as name: String?, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        let original = try readable(id, in: .workoutTemplates, for: user)
        var object = original.object
        if let name { object["name"] = .string(name) }
        for member in ["is_public", "is_system"] { object[member] = false }
        object["status"] = "published"
        let copy = try addDocument(object, in: .workoutTemplates, by: user, &turn)
        return JSONWriter.success(reserving: copy.encoded.count + 128) { data in
            data.member("original_template_id", original.id)
            data.member("new_template", raw: copy.encoded)
        }
    }

    /// A document that the user owns or may read; throws 404 otherwise.
    func readable(_ id: String, in collection: DocumentCollection, for user: UserID) throws(APIError) -> Document {
        let resource = resource(id)
        if let own = users[user].documents[collection]?.first(where: { $0.id == resource }) { return own }
        guard let template = foreignTemplate(resource, in: collection, for: user) else {
            throw .unknownDocument(id, in: collection)
        }
        return template
    }

    /// Another user's template that this user may read.
    func foreignTemplate(_ id: ResourceID?, in collection: DocumentCollection, for user: UserID) -> Document? {
        guard collection == .workoutTemplates, let id else { return nil }
        let name = users[user].id
        for owner in sharers {
            if let template = users[owner].documents[collection]?.first(where: { $0.id == id }) {
                return template.isOpen || template.share(with: name) != nil ? template : nil
            }
        }
        return nil
    }

    /// Records the owners of templates that others may read, so that searches visit only these users.
    mutating func noteSharing(of document: Document, in collection: DocumentCollection, by user: UserID) {
        guard collection == .workoutTemplates, document.isOpen || !document.shares.isEmpty else { return }
        sharers.insert(user)
    }

    /// Lists the templates of a user and of all sharing users; templates with equal times are in reverse order of
    /// users.
    private func templates(
        _ query: DocumentListQuery, of user: UserID? = nil,
        as encode: (@Sendable (Document, TemplateOwner) -> [UInt8])? = nil,
        where isWanted: @escaping @Sendable (UserID, Document) -> Bool
    ) -> Deferred<[UInt8]> {
        let ids = sharers.union(user.map { [$0] } ?? []).sorted { $0.index < $1.index }
        let seed = configuration.seed
        let owners = ids.map { TemplateOwner(id: $0, user: users[$0], seed: seed) }
        // If `encode` writes a different form, the page's templates must be parsed first.
        return Deferred(cost: query.cost(of: owners.map(\.templates), readsPage: encode != nil)) {
            var (found, places): ([Document], [ResourceID: Int]) = ([], [:])
            for (place, owner) in owners.enumerated() {
                for template in owner.templates where isWanted(owner.id, template) {
                    found.append(template)
                    places[template.id] = place
                }
            }
            let ownerPlaces = places
            return query.page(of: found) { template in
                encode?(template, owners[ownerPlaces[template.id] ?? 0]) ?? template.encoded
            }
        }
    }
}

private struct TemplateOwner: Sendable {
    let id: UserID
    let templates: [Document]
    private let name: ExactString
    private let person: Person?
    private let seed: UInt64

    init(id: UserID, user: User, seed: UInt64) {
        (self.id, name, person, self.seed) = (id, user.id, user.person, seed)
        templates = user.documents[.workoutTemplates, default: []]
    }

    /// The owner's stored or generated profile.
    func profile(at now: Timestamp) -> Profile { person?.profile ?? MadeUpPerson(name, seed: seed).profile(at: now) }
}

extension Document {
    /// The template as it is listed for a recipient of a share.
    fileprivate func shared(by owner: String, _ share: TemplateShare?) -> [UInt8] {
        let object = object
        return JSONWriter.object { writer in
            writer.member("template_id", id)
            for member in ["name", "description", "category", "difficulty_level", "estimated_duration_minutes"] {
                writer.key(escaping: member)
                writer.value(object[member] ?? .null)
            }
            writer.member("exercise_count", object["exercises"]?.array?.count ?? 0)
            writer.member("professional_name", owner)
            writer.member("professional_type", share?.professionalType ?? "")
            writer.member("shared_at", share?.sharedAt ?? createdAt)
            writer.member("notes", orNull: share?.notes)
        }
    }
}

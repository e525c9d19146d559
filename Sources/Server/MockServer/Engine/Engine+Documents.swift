import FitIQAPI
import FitIQBackend
import HTTP1
import JSON

/// What the apps sync in the background.
extension Engine {
    /// The answer of an operation on documents.
    ///
    /// - Throws: 404 for an unknown id; 415 and 400 for a bad body, 400 for a bad query; 507 if the world is full.
    func documentAnswer(
        _ operation: DocumentOperation, _ exchange: Exchange, by user: UserID, _ backend: inout Backend,
        _ turn: inout Turn
    ) throws(APIError) -> Answer {
        let (action, collection) = (operation.action, operation.collection)
        guard case .api(.app(_, let parameters))? = exchange.destination.route else {
            preconditionFailure("Only the apps have paths of documents.")
        }
        let id = parameters.first ?? ""
        if action.takesBody {
            // The id in a path is looked up before the body is read, as everywhere.
            if action == .copy {
                _ = try backend.document(id, in: collection, for: user)
            } else if !parameters.isEmpty {
                try backend.checkDocument(id, in: collection, of: user)
            }
            try checkMediaType(exchange.head.fields, exchange.body)
        }
        let query = try DocumentListQuery(
            query: action.hasQuery ? exchange.head.target.queryItems() : [], searches: action == .search)
        func object() throws(APIError) -> JSONObject { try DocumentRequest.object(exchange.body, for: collection) }
        func mark(_ member: String, as value: Bool?) throws(APIError) -> Answer {
            .ok(try backend.markDocument(id, member, as: value, in: collection, by: user, &turn))
        }
        switch action {
        case .create:
            return .created(try backend.createDocument(object(), in: collection, by: user, &turn))
        case .list, .search: return .ok(backend.documents(in: collection, query, for: user))
        case .show: return .ok(try backend.document(id, in: collection, for: user))
        case .replace:
            return .ok(try backend.replaceDocument(id, with: object(), in: collection, by: user, &turn))
        case .delete: try backend.deleteDocument(id, in: collection, by: user)
        case .analyze: return .ok(backend.moodAnalytics(query, for: user))
        case .countUnread: return .ok(backend.unreadInsights(of: user))
        case .generate: return .created(try backend.generateInsight(by: user, &turn))
        case .read: return try mark("is_read", as: true)
        case .favorite: return try mark("is_favorite", as: nil)
        case .archive: return try mark("is_archived", as: true)
        case .unarchive: return try mark("is_archived", as: false)
        case .listPublic: return .ok(backend.publicTemplates(query))
        case .listShared: return .ok(backend.templatesShared(with: user, query))
        case .share:
            return .ok(try backend.shareTemplate(id, ShareDocumentRequest(body: exchange.body), by: user))
        case .unshare: try backend.unshareTemplate(id, with: parameters.last ?? "", by: user)
        case .copy:
            let members = exchange.body.isEmpty ? JSONObject() : try object()
            return .created(try backend.copyTemplate(id, changing: members, by: user, &turn))
        }
        return .noContent
    }
}

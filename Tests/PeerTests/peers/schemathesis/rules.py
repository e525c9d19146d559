"""Rules of the API that OpenAPI cannot express. Each allows one failure of a check that the API promises.

A rule names the check, the operation, the status and the code of the answer. All four must match, and the description
must list the status; anything else is a failure.
"""

import base64
import json
import os

import schemathesis

PROFILE = "GET /api/v1/users/me"
PROFILES = ("POST /api/v1/users/me", "PUT /api/v1/users/me", "PATCH /api/v1/users/me/physical")
SOCKET, MEAL_SOCKET = "GET /api/v1/consultations/{id}/ws", "GET /ws/meal-logs"
TEMPLATE = "GET /api/v1/workout-templates/{id}"
CHANGE_GOAL = "PATCH /api/v1/goals/{goalId}"
REGISTER, REFRESH, LOG_OUT = (f"POST /api/v1/auth/{name}" for name in ("register", "refresh", "logout"))
COMPLETE, SEND = (f"POST /api/v1/consultations/{{id}}/{name}" for name in ("complete", "messages"))
# Rules for documents beyond their schemas. Times: a mood is not in the future; nights, stages, periods and ranges end
# after they begin; stages lie in their night and do not overlap. Others: a mood from HealthKit does not change; an
# exercise has one id or the other; a search has a word, and not too many; a share names possible users.
DOCUMENTS = (
    "POST /api/v1/wellness/mood-entries",
    "PUT /api/v1/wellness/mood-entries/{id}",
    "GET /api/v1/wellness/mood-entries/analytics",
    "GET /api/v1/journal/search",
    "POST /api/v1/insights/generate/wellness",
    "POST /api/v1/sleep",
    "POST /api/v1/workout-templates",
    "PUT /api/v1/workout-templates/{id}",
    "POST /api/v1/workout-templates/{id}/share",
)
CREATED, VALID = "ensure_resource_availability", "positive_data_acceptance"
RULES = {
    # schemathesis cannot open WebSockets: its requests are valid, but not handshakes.
    (VALID, SOCKET, 426, "UPGRADE_REQUIRED"),
    (VALID, MEAL_SOCKET, 426, "UPGRADE_REQUIRED"),
    # The request does not show whether the consultation is active.
    (VALID, SOCKET, 400, "CONSULTATION_NOT_ACTIVE"),
    (VALID, CHANGE_GOAL, 400, "CONSULTATION_NOT_ACTIVE"),
    (VALID, COMPLETE, 400, "CONSULTATION_NOT_ACTIVE"),
    (VALID, SEND, 400, "CONSULTATION_NOT_ACTIVE"),
    # The goal exists (otherwise the code would be GOAL_NOT_FOUND), but the conversation in the body does not.
    (CREATED, CHANGE_GOAL, 404, "NOT_FOUND"),
    # The server signs refresh tokens, and the world's clock decides who is 13 years old.
    (VALID, REFRESH, 400, "BAD_REQUEST"),
    (VALID, LOG_OUT, 400, "BAD_REQUEST"),
    (VALID, REGISTER, 400, "VALIDATION_FAILED"),
    *((VALID, profile, 400, "VALIDATION_FAILED") for profile in PROFILES),
    *((VALID, document, 400, "VALIDATION_FAILED") for document in DOCUMENTS),
}


def described(operation):
    """The statuses that the description lists for an operation."""
    return set(operation.definition.raw["responses"])


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Whether a failure counts: false for those that follow a rule."""
    if "allow_header_conformance" in failure.checks:
        return not is_absence(failure, case)
    if "ignored_auth" in failure.checks and is_issued(case):
        return False  # mistaken for an invented token, because it is not a configured user's
    if "object_level_authorization" in failure.checks and is_public(case, response):
        return False
    code = error_code(response)
    fitting = any((check, case.operation.label, response.status_code, code) in RULES for check in failure.checks)
    return not (fitting and str(response.status_code) in described(case.operation))


def error_code(response):
    try:
        return response.json()["error"]["code"]
    except (ValueError, LookupError, TypeError):
        return None


def is_public(case, response):
    """Whether the answer is a template that its owner made public, so that everybody can read it."""
    return case.operation.label == TEMPLATE and response.json()["data"].get("is_public") is True


def is_absence(failure, case):
    """Whether `Allow` omits exactly those methods for which the description lists only 404.

    A guide can lack a method of a path that it has. Undescribed, the method would have to be 405.
    """
    path = case.operation.schema[case.operation.path]
    absent = {method.upper() for method in path if described(path[method]) == {"404"}}
    return not failure.undocumented_methods and set(failure.missing_methods) == absent


def is_issued(case):
    """Whether a link put the token of a registration, a login or a refresh into a request: such a token has an
    address."""
    try:
        payload = (case.headers or {}).get("Authorization", "").split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
    except (ValueError, LookupError):
        return False
    return case.operation.label == PROFILE and isinstance(claims, dict) and "email" in claims


@schemathesis.check
def issued_token_works(context, response, case):
    """Checks that an issued token reads its user."""
    if is_issued(case):
        assert response.status_code == 200, response.text


@schemathesis.hook
def before_call(context, case, kwargs):
    """Completes credentials.

    It also puts the token into the URL if a socket reads only that; users have it in header fields. If a link brings
    the token, it adds the users' key.
    """
    if is_issued(case):
        with open(os.environ["FITIQ_MOCK_TEST_USERS"], encoding="utf-8") as users:
            fields = json.load(users)["auth"][0]["fixedHeaders"]
        case.headers.update({field["name"]: field["value"] for field in fields if field["name"] == "X-API-Key"})
    schemes = {name for scheme in case.operation.definition.raw.get("security", []) for name in scheme}
    token = (case.headers or {}).get("Authorization", "")
    if schemes == {"tokenParameter"} and token.startswith("Bearer "):
        case.query = {**(case.query or {}), "token": token.removeprefix("Bearer ")}

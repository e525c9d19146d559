"""The chapters of the story, and how to play them."""

import asyncio

from app_accounts import accounts
from app_chapters import app_accounts, app_chat, app_chat_socket, app_goals, app_meal_socket, app_meals
from app_collections import app_bad_input, app_collections
from app_decoding import app_decoding
from chat_chapters import chat, handshakes
from facts import main
from fitiq_chapters import (
    fitiq_backfill, fitiq_deletion, fitiq_first_run, fitiq_meals, fitiq_offline, fitiq_returning_user,
    fitiq_second_device, fitiq_templates)
from goal_chapters import goal_chat, goal_from_chat, goal_rules
from guide_chapters import (
    consultation_websocket, enhanced_consultations, goal_linking, meal_log_websocket, websocket_architecture)
from guide_endpoints import credentials, descriptions, endpoints, judged
from lume_chapters import (
    lume_backfill, lume_coach, lume_deletion, lume_first_run, lume_insights, lume_offline, lume_returning_user,
    lume_second_device)
from meal_chapters import meal_pace, meals, meals_heard, meals_listed
from rest_chapters import refusals, rest
from teller import CHAPTER_SECONDS, Storyteller
from trouble_chapters import archiving, bad_frames, deflate, deflated, dropped, echo, pace, shutdown, waiting

CHAPTERS = {
    function.__name__: function
    for function in [
        rest, refusals, handshakes, chat, bad_frames, archiving, deflate, deflated, echo, pace, waiting, dropped,
        shutdown, goal_chat, goal_from_chat, goal_rules, meals, meals_heard, meals_listed, meal_pace,
        endpoints, descriptions, credentials, judged, consultation_websocket, enhanced_consultations, goal_linking,
        websocket_architecture, meal_log_websocket, app_accounts, app_chat, app_collections, app_bad_input,
        app_goals, app_meals, app_meal_socket, app_chat_socket, accounts, app_decoding, fitiq_first_run, fitiq_offline,
        fitiq_second_device, fitiq_backfill, fitiq_templates, fitiq_meals, fitiq_deletion, lume_first_run, lume_coach,
        lume_offline, lume_second_device, lume_insights, lume_backfill, lume_deletion, fitiq_returning_user,
        lume_returning_user]
}


async def tell_all(server, chapters, make_adapter):
    for chapter in chapters:
        print(f"{chapter.__name__}, with {make_adapter.name}", flush=True)
        async with asyncio.timeout(CHAPTER_SECONDS), make_adapter() as adapter:
            # Each chapter has its own user, so that no chapter sees another's data.
            await chapter(Storyteller(server, adapter, f"{adapter.name}-{chapter.__name__}"))


def tell(make_adapter):
    main(lambda server, chapters: asyncio.run(tell_all(server, chapters, make_adapter)), CHAPTERS)

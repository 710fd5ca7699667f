"""The queue in which clients take turns."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from sandboxes.pool.fair_queue import FairQueue


def filled(items):
    """Return a queue with (client, item) pairs."""
    queue = FairQueue()
    for client, item in items:
        queue.append(client, item)
    return queue


def drained(queue):
    """Return the items in the order in which they come out."""
    return [queue.popleft() for _ in range(len(queue))]


def test_clients_take_turns():
    """A client with one item comes before the second item of a client that came first."""
    assert drained(filled([("a", 1), ("a", 2), ("a", 3), ("b", 4), ("c", 5), ("c", 6)])) == [1, 4, 5, 2, 6, 3]


@given(st.lists(st.sampled_from("abc")))
def test_no_item_waits_for_more_than_a_round(clients):
    """Before an item, each other client has at most one turn more than the item's client has items before it."""
    pairs = [(client, (client, number)) for number, client in enumerate(clients)]
    order = drained(filled(pairs))
    assert sorted(order) == sorted(item for _, item in pairs)
    turns = Counter()
    for client, _ in order:
        assert all(turns[other] <= turns[client] + 1 for other in turns)
        turns[client] += 1


def test_items_of_a_client_keep_their_order():
    """An item that is put back is the next one of its client."""
    queue = filled([("a", 1), ("a", 2)])
    queue.put_back("a", queue.popleft())
    assert queue.peek() == 1
    assert drained(queue) == [1, 2]


def test_items_can_be_removed():
    """Items that are removed leave the others as they are."""
    queue = filled([("a", 1), ("b", 2), ("b", 3)])
    queue.discard("b", 2)
    queue.discard("a", 1)
    queue.discard("a", 1)
    assert (len(queue), queue.clear(), len(queue)) == (1, [3], 0)

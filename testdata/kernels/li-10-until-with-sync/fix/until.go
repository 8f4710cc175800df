package watch

import (
	"context"
	"errors"
	"fmt"
)

// PreconditionFunc returns true if the condition has been reached, false if it has not been reached yet,
// or an error if the condition failed or detected an error state.
type PreconditionFunc func(store *Indexer) (bool, error)

// ConditionFunc returns true if the condition has been reached, false if it has not been reached yet,
// or an error if the condition cannot be checked and should terminate.
type ConditionFunc func(event Event) (bool, error)

// ErrWatchClosed is returned when the watch channel is closed before timeout in UntilWithoutRetry.
var ErrWatchClosed = errors.New("watch closed before UntilWithoutRetry timeout")

// UntilWithoutRetry reads items from the watch until each provided condition succeeds, and then returns the last watch
// encountered. The first condition that returns an error terminates the watch (and the event is also returned).
func UntilWithoutRetry(ctx context.Context, watcher Watcher, conditions ...ConditionFunc) (*Event, error) {
	ch := watcher.ResultChan()
	defer watcher.Stop()
	var lastEvent *Event
	for _, condition := range conditions {
		// check the next condition against the previous event and short circuit waiting for the next watch
		if lastEvent != nil {
			done, err := condition(*lastEvent)
			if err != nil {
				return lastEvent, err
			}
			if done {
				continue
			}
		}
	ConditionSucceeded:
		for {
			select {
			case event, ok := <-ch:
				if !ok {
					return lastEvent, ErrWatchClosed
				}
				lastEvent = &event

				done, err := condition(event)
				if err != nil {
					return lastEvent, err
				}
				if done {
					break ConditionSucceeded
				}

			case <-ctx.Done():
				return lastEvent, ctx.Err()
			}
		}
	}
	return lastEvent, nil
}

// UntilWithSync creates an informer from lw and watches the output until each provided condition succeeds,
// in a way that is identical to function UntilWithoutRetry. (See above.)
// UntilWithSync can deal with all errors like API timeout, lost connections and 'Resource version too old'.
// The most frequent usage would be a command that needs to watch the "state of the world" and should't fail, like:
// waiting for object reaching a state, "small" controllers, ...
func UntilWithSync(ctx context.Context, lw ListerWatcher, precondition PreconditionFunc, conditions ...ConditionFunc) (*Event, error) {
	indexer, _, watcher, done := NewIndexerInformerWatcher(lw)
	// We need to wait for the internal informers to fully stop so it's easier to reason about
	// and it works with non-thread safe clients.
	defer func() { <-done }()
	// Proxy watcher can be stopped multiple times so it's fine to use defer here to cover alternative branches and
	// let UntilWithoutRetry to stop it
	defer watcher.Stop()

	if precondition != nil {
		done, err := precondition(indexer)
		if err != nil {
			return nil, fmt.Errorf("precondition: %w", err)
		}

		if done {
			return nil, nil
		}
	}

	return UntilWithoutRetry(ctx, watcher, conditions...)
}

// WaitForAll waits until every one of the named objects has been seen, one after the other,
// through the same client.
func WaitForAll(ctx context.Context, lw ListerWatcher, names ...string) error {
	for _, name := range names {
		_, err := UntilWithSync(ctx, lw, nil, func(ev Event) (bool, error) {
			return ev.Type != Deleted && ev.Object.GetName() == name, nil
		})
		if err != nil {
			return fmt.Errorf("waiting for %s: %w", name, err)
		}
	}
	return nil
}

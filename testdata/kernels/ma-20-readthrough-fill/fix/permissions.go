package readthrough

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// GrantStore is the system of record for permissions.
type GrantStore interface {
	Grants(ctx context.Context, user string) ([]string, error)
	Revoke(ctx context.Context, user, permission string) error
}

// Permissions answers permission checks from a cache.
type Permissions struct {
	store GrantStore
	cache *Cache[string, []string]
}

// NewPermissions returns a checker over the store.
func NewPermissions(store GrantStore, ttl time.Duration) *Permissions {
	return &Permissions{store: store, cache: New(ttl, store.Grants)}
}

// Allowed says if a user has a permission.
func (p *Permissions) Allowed(ctx context.Context, user, permission string) (bool, error) {
	grants, err := p.cache.Get(ctx, user)
	if err != nil {
		return false, err
	}
	return slices.Contains(grants, permission), nil
}

// Revoke takes a permission from a user.
func (p *Permissions) Revoke(ctx context.Context, user, permission string) error {
	if err := p.store.Revoke(ctx, user, permission); err != nil {
		return fmt.Errorf("permissions: revoke %s from %s: %w", permission, user, err)
	}
	p.cache.Invalidate(user)
	return nil
}

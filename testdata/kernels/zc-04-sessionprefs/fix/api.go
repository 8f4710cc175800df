package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// PrefsPatch names the settings to change; nil fields stay as they are.
type PrefsPatch struct {
	Theme    *string `json:"theme"`
	Locale   *string `json:"locale"`
	Currency *string `json:"currency"`
	PageSize *int    `json:"page_size"`
}

func (p PrefsPatch) apply(to *Prefs) {
	if p.Theme != nil {
		to.Theme = *p.Theme
	}
	if p.Locale != nil {
		to.Locale = *p.Locale
	}
	if p.Currency != nil {
		to.Currency = *p.Currency
	}
	if p.PageSize != nil {
		to.PageSize = min(max(*p.PageSize, 12), 96)
	}
}

// Catalog knows the locales and currencies the shop supports.
type Catalog interface {
	HasLocale(ctx context.Context, locale string) (bool, error)
	HasCurrency(ctx context.Context, currency string) (bool, error)
}

// API serves the settings dialog.
type API struct {
	store   *Store
	catalog Catalog
}

// NewAPI returns an API on top of store.
func NewAPI(store *Store, catalog Catalog) *API {
	return &API{store: store, catalog: catalog}
}

// ErrUnsupported is returned for a locale or currency the shop does not have.
var ErrUnsupported = errors.New("session: unsupported locale or currency")

// check asks the catalog about the locale and the currency of a patch.
func (a *API) check(ctx context.Context, patch PrefsPatch) error {
	if patch.Locale != nil {
		ok, err := a.catalog.HasLocale(ctx, *patch.Locale)
		if err != nil {
			return fmt.Errorf("session: catalog: %w", err)
		}
		if !ok {
			return ErrUnsupported
		}
	}
	if patch.Currency != nil {
		ok, err := a.catalog.HasCurrency(ctx, *patch.Currency)
		if err != nil {
			return fmt.Errorf("session: catalog: %w", err)
		}
		if !ok {
			return ErrUnsupported
		}
	}
	return nil
}

// PatchPrefs changes the settings of a session and returns the result.
func (a *API) PatchPrefs(ctx context.Context, id string, patch PrefsPatch) (Prefs, error) {
	if err := a.check(ctx, patch); err != nil {
		return Prefs{}, err
	}
	var prefs Prefs
	err := a.store.With(id, func(s *Session) {
		patch.apply(&s.Prefs)
		prefs = s.Prefs
	})
	if err != nil {
		return Prefs{}, err
	}
	return prefs, nil
}

// ServeHTTP handles PATCH /prefs.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, err := r.Cookie("sid")
	if err != nil {
		http.Error(w, "no session", http.StatusUnauthorized)
		return
	}
	var patch PrefsPatch
	if err := json.NewDecoder(r.Body).Decode(&patch); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	prefs, err := a.PatchPrefs(r.Context(), c.Value, patch)
	switch {
	case errors.Is(err, ErrNoSession):
		http.Error(w, err.Error(), http.StatusUnauthorized)
	case errors.Is(err, ErrUnsupported):
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	default:
		json.NewEncoder(w).Encode(prefs)
	}
}

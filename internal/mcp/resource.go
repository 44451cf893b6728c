package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	v1 "homeward/internal/v1"
)

// The URIs of resources.
const (
	itemURI          = "homeward://locations/{locationId}/items/{itemId}"
	photoURITemplate = itemURI + "/photos/{photo}"
)

// addResources adds the resources for items and their photos.
func addResources(server *sdk.Server, c *Client) {
	server.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: itemURI, Name: "item", Title: "Item or request", MIMEType: "application/json",
		Description: "Everything about one item or request.",
	}, func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		body, _, err := c.readItem(ctx, r.Params.URI)
		if err != nil {
			return nil, resourceError(err)
		}
		return contents(&sdk.ResourceContents{Text: string(body)}), nil
	})
	server.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: photoURITemplate, Name: "photo", Title: "Photo of an item",
		Description: fmt.Sprintf("A photo; get_item links to it. A photo of more than %d MiB comes as its thumbnail, "+
			"at most 640 pixels long.", maxResponse>>20),
	}, func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		photo, err := c.readPhoto(ctx, r.Params.URI)
		if err != nil {
			return nil, resourceError(err)
		}
		return contents(photo), nil
	})
}

func contents(c *sdk.ResourceContents) *sdk.ReadResourceResult {
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}
}

// photoURI returns the URI of a photo. The name of its file identifies it.
func photoURI(item v1.Item, image v1.Image) string {
	return "homeward://locations/" + url.PathEscape(item.LocationID) + "/items/" + url.PathEscape(item.ID) +
		"/photos/" + url.PathEscape(path.Base(image.URL))
}

// parseURI returns the ids in the URI of an item or photo. The photo is empty in the URI of an item.
func parseURI(uri string) (location, item, photo string, err error) {
	rest, ours := strings.CutPrefix(uri, "homeward://locations/")
	segments := strings.Split(rest, "/")
	isItem := len(segments) == 3 && segments[1] == "items"
	isPhoto := len(segments) == 5 && segments[1] == "items" && segments[3] == "photos"
	if !ours || !isItem && !isPhoto {
		return "", "", "", errNoResource
	}
	for n := range segments {
		if segments[n], err = url.PathUnescape(segments[n]); err != nil {
			return "", "", "", errNoResource
		}
	}
	if isPhoto {
		photo = segments[4]
	}
	return segments[0], segments[2], photo, nil
}

var errNoResource = errors.New("there is no such resource")

// readItem returns the item in a URI, as agents may see it.
func (c *Client) readItem(ctx context.Context, uri string) (json.RawMessage, v1.Item, error) {
	location, item, _, err := parseURI(uri)
	if err != nil {
		return nil, v1.Item{}, err
	}
	body, err := c.do(ctx, call{
		method: http.MethodGet,
		path:   "/v1/locations/" + url.PathEscape(location) + "/items/" + url.PathEscape(item),
	})
	if err != nil {
		return nil, v1.Item{}, err
	}
	return visibleItem(body)
}

// readPhoto returns the photo in a URI, or its thumbnail if it is too large. Only photos of the item are returned, so
// that the key decides which photos can be read.
func (c *Client) readPhoto(ctx context.Context, uri string) (*sdk.ResourceContents, error) {
	_, item, err := c.readItem(ctx, uri)
	if err != nil {
		return nil, err
	}
	_, _, name, err := parseURI(uri)
	if err != nil {
		return nil, err
	}
	for _, image := range item.Images {
		if path.Base(image.URL) != name {
			continue
		}
		address := image.URL
		if image.Size > maxResponse {
			address = image.ThumbnailURL
		}
		photo, err := c.file(ctx, address)
		return &sdk.ResourceContents{Blob: photo, MIMEType: http.DetectContentType(photo)}, err
	}
	return nil, errNoResource
}

// codeNotFound is the protocol's code for a resource that does not exist. The newest version of the protocol uses the
// code for invalid parameters instead. Over HTTP that one has the status 400, at which clients close the connection.
const codeNotFound = -32002

// resourceError converts an error to one of the protocol.
func resourceError(err error) error {
	failed, ok := errors.AsType[*apiError](err)
	if errors.Is(err, errNoResource) || ok && failed.status == http.StatusNotFound {
		return &jsonrpc.Error{Code: codeNotFound, Message: "Resource not found. get_item links to photos."}
	}
	return err
}

package openai

import (
	"context"
	"math"
)

const (
	// MaxTexts is the maximum number of texts in one call of Embed.
	MaxTexts = 64
	// maxDimensions is the maximum length of a vector.
	maxDimensions = 8192
)

// Embed returns a vector for each text. All vectors have the same length, no coordinate is infinite or not a number,
// and none is zero altogether.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	err := c.post(ctx, "/embeddings", struct {
		Model          string   `json:"model"`
		Input          []string `json:"input"`
		EncodingFormat string   `json:"encoding_format"`
	}{c.model, texts, "float"}, maxEmbeddings, &answer)
	if err != nil {
		return nil, err
	}
	if len(answer.Data) != len(texts) {
		return nil, unreadable("the answer does not have one vector for each text")
	}
	vectors := make([][]float32, len(texts))
	for _, d := range answer.Data {
		if d.Index < 0 || d.Index >= len(vectors) || vectors[d.Index] != nil {
			return nil, unreadable("the vectors are not numbered")
		}
		if !isVector(d.Embedding) || len(d.Embedding) != len(answer.Data[0].Embedding) {
			return nil, unreadable("a vector is not valid")
		}
		vectors[d.Index] = d.Embedding
	}
	return vectors, nil
}

// isVector reports whether the coordinates are a vector with a direction.
func isVector(v []float32) bool {
	if len(v) == 0 || len(v) > maxDimensions {
		return false
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return sum > 0 && !math.IsInf(sum, 0) && !math.IsNaN(sum)
}
